import { newTrace, traceparentOf } from '@carapace/service'

const kinds = ['finds', 'updates', 'inserts and deletes', 'others'] as const
type Kind = (typeof kinds)[number]
/** Commands that were sent to the database, by what they do. */
export type Counts = Record<Kind, number>

/** One command that is sent to the database. */
export interface Command {
  /** As the protocol calls it. */
  name: string
  /** What it is sent to: `<service>.<collection>`. */
  place?: string
  /** Of the work that sends it. */
  traceId: string | undefined
  /** The command as text in lower case; read only where it decides. */
  text(): string
}

/** One business act whose operations are counted. */
export interface CountedAct {
  traceId: string
  /** For the requests that are the act. */
  traceparent: string
  /** What was counted until now: events and timers of the act come after its answer. */
  counts(): Counts
  /** The same by `<kind> <place>`, where the commands name it. */
  places(): ReadonlyMap<string, number>
}

export interface OperationCounter {
  /**
   * Counts from now on what belongs to the act's trace.
   * @param mark names the act where it begins outside of the platform, and therefore without a trace, in lower case: a trace that nobody gave and
   * one of whose commands has the mark is the act's, and so is a command without a trace that has it, until the next act begins
   */
  begin(mark?: string): CountedAct
  note(command: Command): void
  /** Of all commands, with or without an act. */
  all(): Counts
  /** Of what belongs to no act. */
  background(): Counts
}

const kindOf: Readonly<Record<string, Kind>> = {
  ...{ find: 'finds', getMore: 'finds', aggregate: 'finds', count: 'finds', distinct: 'finds' },
  ...{ update: 'updates', findAndModify: 'updates' },
  ...{ insert: 'inserts and deletes', delete: 'inserts and deletes' },
}

export const sumOf = (counts: Counts): number => kinds.reduce((sum, kind) => sum + counts[kind], 0)

/** Attributes commands to the acts that caused them, by their trace: it goes on through calls, outboxes, the bus and the chain. */
export function operationCounter(): OperationCounter {
  const byTrace = new Map<string, Counts>()
  const placesByTrace = new Map<string, Map<string, number>>()
  const actOf = new Map<string, CountedAct>()
  const marks = new Map<string, CountedAct>()
  const [everything, traceless] = [none(), none()]

  /** Every trace is counted from its first command: its mark may come later. */
  const countsOf = (traceId: string): Counts => {
    const trace = byTrace.get(traceId)
    if (trace) return trace
    const counts = none()
    byTrace.set(traceId, counts)
    return counts
  }
  const markedIn = ({ text }: Command): CountedAct | undefined => {
    if (marks.size === 0) return undefined
    const content = text()
    return [...marks].find(([mark]) => content.includes(mark))?.[1]
  }

  return {
    begin: mark => {
      const trace = newTrace(undefined)
      const { traceId } = trace
      const counts = () => sum([...actOf].flatMap(([one, act]) => (act.traceId === traceId ? [countsOf(one)] : [])))
      const places = () => added([...actOf].flatMap(([one, act]) => (act.traceId === traceId ? [placesByTrace.get(one) ?? new Map()] : [])))
      const act: CountedAct = { traceId, traceparent: traceparentOf(trace)!, counts, places }
      actOf.set(traceId, act)
      // what a later act causes there is not the work of this one
      marks.clear()
      if (mark !== undefined) marks.set(mark, act)
      return act
    },
    note: command => {
      const kind = kindOf[command.name] ?? 'others'
      everything[kind]++
      const { traceId } = command
      const act = (traceId && actOf.get(traceId)) ?? markedIn(command)
      if (traceId) {
        if (act) actOf.set(traceId, act)
        countsOf(traceId)[kind]++
      } else (act ? countsOf(act.traceId) : traceless)[kind]++
      const counted = traceId ?? (act ? act.traceId : undefined)
      if (counted) noteIn(placesByTrace, counted, `${kind} ${command.place ?? command.name}`)
    },
    all: () => ({ ...everything }),
    background: () => sum([traceless, ...[...byTrace].flatMap(([traceId, counts]) => (actOf.has(traceId) ? [] : [counts]))]),
  }
}

function noteIn(byTrace: Map<string, Map<string, number>>, traceId: string, place: string): void {
  const places = byTrace.get(traceId) ?? new Map<string, number>()
  byTrace.set(traceId, places.set(place, (places.get(place) ?? 0) + 1))
}

function added(all: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const total = new Map<string, number>()
  for (const one of all) for (const [place, times] of one) total.set(place, (total.get(place) ?? 0) + times)
  return total
}

const none = (): Counts => ({ finds: 0, updates: 0, 'inserts and deletes': 0, others: 0 })

function sum(all: readonly Counts[]): Counts {
  const total = none()
  for (const counts of all) for (const kind of kinds) total[kind] += counts[kind]
  return total
}
