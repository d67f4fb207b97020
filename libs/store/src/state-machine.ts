import { refuse } from '@carapace/api'

/** One way out of a state. */
export interface Edge<State extends string, Subject = never> {
  to: State
  /** A condition on the record beyond its state, and how a person would say it. */
  guard?: { when: string; holds(subject: Subject): boolean }
  /** Set where time alone triggers this edge: what it waits for, such as `72 h after the opening`. */
  byTime?: string
}

/** State → trigger → where it leads. A bare state is an edge without a guard. */
export type Transitions<State extends string, Trigger extends string, Subject = never> = Readonly<
  Record<State, Readonly<Partial<Record<Trigger, State | Edge<State, Subject>>>>>
>

/** The states to which a trigger leads in a table of transitions (`as const`): the type of what follows from it. */
export type Target<Table, Trigger extends PropertyKey> = {
  [From in keyof Table]: Trigger extends keyof Table[From] ? (Table[From][Trigger] extends { to: infer To } ? To : Table[From][Trigger]) : never
}[keyof Table]

export interface StateMachineTable<State extends string, Trigger extends string, Subject = never> {
  /** The record, as in `{ resource: 'gig' }`. */
  name: string
  /** Where a record starts. */
  initial: State
  /** Where some records start instead, and which, as a person would say it. */
  startsIn?: Readonly<Partial<Record<State, string>>>
  /** States that nothing leaves in the normal course; only a reorganisation of the chain may. */
  final: readonly State[]
  /** Nothing waits for the record, whichever state it is in, so that time needs to end none: why. */
  rests?: string
  transitions: Transitions<State, Trigger, Subject>
}

export interface StateMachine<State extends string, Trigger extends string, Subject = never> extends StateMachineTable<State, Trigger, Subject> {
  /** Where the trigger leads, or undefined when the table has no such edge or its guard does not hold. */
  next(state: State, trigger: Trigger, subject?: Subject): State | undefined
  /** As `next`. @throws INVALID_STATE with the present state and those in which the trigger is allowed */
  move(state: State, trigger: Trigger, subject?: Subject): State
  /** States in which the trigger is allowed, by the table. */
  allowedIn(trigger: Trigger): State[]
  isFinal(state: State): boolean
  /** Every state in which a record may start. */
  starts(): State[]
  /** The table as rows: for documents and for tests that walk it. */
  edges(): (Edge<State, Subject> & { from: State; trigger: Trigger })[]
}

/**
 * A table of states as the only way in which a record moves.
 * @example const gigStates = stateMachine({ name: 'gig', initial: 'open', final: ['cancelled'], transitions: { open: { expire: { to: 'cancelled', byTime: '30 d' } }, cancelled: {} } })
 */
export function stateMachine<State extends string, Trigger extends string, Subject = never>(
  table: StateMachineTable<State, Trigger, Subject>,
): StateMachine<State, Trigger, Subject> {
  const { name, final, transitions } = table
  const states = Object.keys(transitions) as State[]
  const edgeOf = (state: State, trigger: Trigger): Edge<State, Subject> | undefined => {
    const row = transitions[state]
    const edge: State | Edge<State, Subject> | undefined = Object.hasOwn(row, trigger) ? row[trigger] : undefined
    return isBare(edge) ? { to: edge } : edge
  }
  const machine: StateMachine<State, Trigger, Subject> = {
    ...table,
    next: (state, trigger, subject) => {
      const edge = edgeOf(state, trigger)
      const isOpen = edge !== undefined && (edge.guard === undefined || (subject !== undefined && edge.guard.holds(subject)))
      return isOpen ? edge.to : undefined
    },
    move: (state, trigger, subject) => {
      const to = machine.next(state, trigger, subject)
      if (to !== undefined) return to
      const guard = edgeOf(state, trigger)?.guard
      const allowed = machine.allowedIn(trigger)
      const needs = guard ? `this needs that ${guard.when}` : `this needs ${allowed.join(' or ')}`
      return refuse('INVALID_STATE', { state, allowed }, { message: `The ${name} is ${state}; ${needs}` })
    },
    allowedIn: trigger => states.filter(state => edgeOf(state, trigger) !== undefined),
    isFinal: state => final.includes(state),
    starts: () => [table.initial, ...(Object.keys(table.startsIn ?? {}) as State[])],
    edges: () =>
      states.flatMap(from =>
        (Object.keys(transitions[from]) as Trigger[]).map(trigger => ({ ...(edgeOf(from, trigger) as Edge<State, Subject>), from, trigger })),
      ),
  }
  return machine
}

const isBare = <State extends string, Subject>(edge: State | Edge<State, Subject> | undefined): edge is State => typeof edge === 'string'

/**
 * States from which time alone reaches no final state (behaviour 18: none may exist), but for a record that nothing waits for.
 * @example assert.deepEqual(stalledStates(gigStates), [])
 */
export function stalledStates<State extends string, Trigger extends string, Subject>(machine: StateMachine<State, Trigger, Subject>): State[] {
  if (machine.rests !== undefined) return []
  const timed = machine.edges().filter(({ byTime }) => byTime !== undefined)
  const ending = new Set<State>(machine.final)
  for (let before = -1; before !== ending.size; ) {
    before = ending.size
    for (const { from, to } of timed) if (ending.has(to)) ending.add(from)
  }
  return (Object.keys(machine.transitions) as State[]).filter(state => !ending.has(state))
}

/**
 * States that no record can come to: no path leads to them from a start, so the table or the drawing of it is wrong.
 * @example assert.deepEqual(unreachableStates(gigStates), [])
 */
export function unreachableStates<State extends string, Trigger extends string, Subject>(machine: StateMachine<State, Trigger, Subject>): State[] {
  const edges = machine.edges()
  const reached = new Set<State>(machine.starts())
  // a set that grows while it is walked is walked to its end
  for (const state of reached) for (const { from, to } of edges) if (from === state) reached.add(to)
  return (Object.keys(machine.transitions) as State[]).filter(state => !reached.has(state))
}
