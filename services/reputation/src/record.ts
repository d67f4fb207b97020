import type { CloudEvent, Draft } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { type Dated, type Fact, followed, inputsOf, type Logged, marketId, mergedFacts, type State, stateOf } from '@carapace/formula'
import { type Decision, gathered, type Stored } from '@carapace/store'
import type { NewEntry } from './audit.store.ts'
import { changeFacts } from './changes.ts'
import { numbersOf, partnersIn, withNumbers } from './numbers.ts'
import type { Parts } from './parts.ts'
import { ownersOf, recompute, recomputeHeir } from './recompute.ts'
import { applyStanding, type ScoreDoc } from './score.store.ts'
import { type Standing, standingAt } from './standing.ts'

interface Given {
  at?: string
  txHash?: string | null
  /** Distinguishes facts of one event about one agent. */
  key?: string
  /** Whether the log says enough without the fact. */
  unless?: (log: readonly Logged[]) => boolean
  /** What the event says about the agent itself: stored with its standing. To be repeated without effect. */
  edit?: (doc: Stored<ScoreDoc>) => Stored<ScoreDoc>
  /** Another fact about the same agents follows soon. */
  isFollowed?: boolean
  /** What is sent to the chain because of it. To be sent again without effect. */
  commands?: (doc: ScoreDoc) => Draft[]
}
interface Item extends Given {
  event: CloudEvent
  agentId: string
  fact: Fact
}
/** The score as it is without the fact, and with it. */
interface Scores {
  before: number
  after: number
}

/** An agent that facts of one moment are about. */
interface Subject {
  doc: Stored<ScoreDoc>
  /** Whose logs count for it. */
  owners: readonly string[]
  log: Logged[]
  facts: readonly Dated[]
  /** Has followed the facts: numbers for others and each new fact need no replay. */
  state: State
  standing: Standing
  edits: NonNullable<Given['edit']>[]
  commands: NonNullable<Given['commands']>[]
}

/**
 * Appends a fact about an agent to the log and recomputes its standing. A second delivery appends nothing and recomputes the same. The facts of one
 * moment are read, appended and checked together, and change the standing of an agent once.
 * @throws Retry while the agent is not known yet
 */
export function record(parts: Parts, event: CloudEvent, agentId: string, fact: Fact, given: Given = {}): Promise<void> {
  const recorder = recorders.get(parts) ?? gathered((items: readonly Item[]) => recordAll(parts, items), waitOf)
  recorders.set(parts, recorder)
  return recorder({ event, agentId, fact, ...given })
}
/** A payment and the skill that it proves come one after the other. */
const momentMs = 400
/** A registration waits for its confirmation. */
const followerMs = 3_000
const waitOf = ({ isFollowed }: Item): number => (isFollowed ? followerMs : momentMs)
const recorders = new WeakMap<Parts, (item: Item) => Promise<void>>()

async function recordAll(parts: Parts, items: readonly Item[]): Promise<(Error | undefined)[]> {
  const last = parts.audit.position()
  const { docs, log } = await parts.audit.factsWith(parts.scores, [...new Set(items.flatMap(({ agentId, fact }) => [agentId, ...partnersIn(fact)]))])
  const now = parts.clock.now()
  const subjects = await subjectsOf(parts, docs, log)
  // as they were before the facts of this moment
  const numbers = numbersOf(parts, subjects, items, now)
  const added: Logged[] = []
  const entries: (NewEntry & { scores: Scores })[] = []
  const answers = items.map(item => {
    const subject = subjects.get(item.agentId)
    if (!subject) return new Retry(`agent ${item.agentId} is not known yet`)
    const before = subject.standing.fusedScore
    if (item.unless?.(subject.log)) return undefined
    const fact = withNumbers(item.fact, numbers)
    added.push(addFact(subject, { agentId: item.agentId, fact, at: timeOf(item) }, now))
    if (item.edit) subject.edits.push(item.edit)
    if (item.commands) subject.commands.push(item.commands)
    entries.push({ ...entryOf({ ...item, fact }), scores: { before, after: subject.standing.fusedScore } })
    return undefined
  })
  const positions = await parts.audit.append(entries)
  for (const [at, fact] of added.entries()) fact.seq = positions[at]
  await storeAll(
    parts,
    [...subjects].filter(([agentId]) => entries.some(entry => entry.agentId === agentId)).map(([, subject]) => subject),
    { now, wholeUntil: wholeUntil(last, positions) },
  )
  return answers
}

/**
 * Computes the standings of many agents on a new day: their logs are read together, get what their counterparties have become, and only what differs is
 * written.
 */
export async function recomputeMany(parts: Parts, docs: readonly Stored<ScoreDoc>[]): Promise<void> {
  const last = await parts.audit.last()
  const now = parts.clock.now()
  const subjects = await subjectsOf(parts, new Map(docs.map(doc => [doc.id, doc])))
  for (const subject of subjects.values()) subject.standing = standingAt(subject.facts, now, subject.state)
  const changed = await changeFacts(parts, new Map([...subjects].map(([id, { state }]) => [id, state])), now)
  const until = await appendAll(parts, subjects, changed, { now, last })
  await storeAll(parts, [...subjects.values()], { now, wholeUntil: until })
}

/** Appends a fact of the present moment to each log. @returns the position that the logs are whole up to; undefined where others have appended meanwhile */
async function appendAll(
  parts: Parts,
  subjects: ReadonlyMap<string, Subject>,
  news: ReadonlyMap<string, Fact>,
  { now, last }: { now: Date; last: number },
): Promise<number | undefined> {
  if (news.size === 0) return last
  const day = now.toISOString().slice(0, 10)
  const added = [...news].map(([agentId, fact]) => {
    const subject = subjects.get(agentId)!
    const before = subject.standing.fusedScore
    const item = { agentId, fact, key: fact.type, eventId: `${fact.type} ${day}`, source: 'reputation', txHash: null, at: now }
    const logged = addFact(subject, item, now)
    return { logged, entry: { ...item, scores: { before, after: subject.standing.fusedScore } } }
  })
  const positions = await parts.audit.append(added.map(({ entry }) => entry))
  for (const [at, { logged }] of added.entries()) logged.seq = positions[at]
  return wholeUntil(last, positions)
}

/** The log that was read up to an entry is whole with those that were appended to it, where nobody else has appended meanwhile. */
const wholeUntil = (last: number | undefined, appended: readonly (number | undefined)[]): number | undefined =>
  last !== undefined && appended.every((position, at) => position === last + 1 + at) ? last + appended.length : undefined

/** @param read the logs of the documents' own agents, where they were read with them */
async function subjectsOf(parts: Parts, docs: ReadonlyMap<string, Stored<ScoreDoc>>, read?: readonly Logged[]): Promise<Map<string, Subject>> {
  const owners = new Map<string, string[]>()
  for (const [id, doc] of docs) owners.set(id, await ownersOf(parts, doc))
  const unread = [...new Set([...owners.values()].flat())].filter(id => !(read && (docs.has(id) || id === marketId)))
  const logs = [...(read ?? []), ...(unread.length > 0 ? await parts.audit.factsOf(unread) : [])].sort((a, b) => a.at.getTime() - b.at.getTime())
  return new Map(
    [...docs].map(([id, doc]) => {
      const own = owners.get(id)!
      const log = logs.filter(fact => own.includes(fact.agentId))
      const facts = mergedFacts(id, log)
      return [id, { doc, owners: own, log, facts, state: stateOf(facts), standing: doc, edits: [], commands: [] }] as const
    }),
  )
}

function addFact(subject: Subject, { agentId, fact, at }: { agentId: string; fact: Fact; at: Date }, now: Date): Logged {
  const logged: Logged = { ...fact, agentId, at }
  subject.log = [...subject.log, logged].sort((a, b) => a.at.getTime() - b.at.getTime())
  subject.facts = mergedFacts(agentId, subject.log)
  // the bond of an heir is the sum of several, so that one fact changes others
  if (subject.doc.sources.length > 0) subject.state = stateOf(subject.facts)
  else followed.apply(subject.state, { ...fact, at: logged.at })
  subject.standing = standingAt(subject.facts, now, subject.state)
  return logged
}

const entryOf = ({ event, agentId, fact, at, txHash, key }: Item): NewEntry => ({
  ...{ agentId, fact, key: key ?? fact.type, eventId: event.id, source: event.source.split('/').at(-1) ?? '', txHash: txHash ?? null },
  at: timeOf({ event, at }),
})

const timeOf = ({ event, at }: Pick<Item, 'event' | 'at'>): Date => new Date(at ?? event.time)

/** @param wholeUntil position of the last entry, where the logs that were read are whole up to it */
async function storeAll(
  parts: Parts,
  subjects: readonly Subject[],
  { now, wholeUntil }: { now: Date; wholeUntil: number | undefined },
): Promise<void> {
  if (subjects.length === 0) return
  const outdated = new Set<Subject>(wholeUntil === undefined ? subjects : [])
  const isNews = (subject: Subject) => changed(subject, subject.doc, now) !== undefined
  const [moved, same] = [subjects.filter(isNews), subjects.filter(subject => !isNews(subject))]
  if (wholeUntil !== undefined) {
    for (const subject of await overtaken(parts, moved, now)) outdated.add(subject)
    // a standing that was stored since the document was read may lack the fact; one that is stored later is compared with the log again
    const cached = parts.scores.cached(same.map(({ doc }) => doc.id))
    const unknown = same.map(({ doc }) => doc.id).filter(id => !cached.has(id))
    const present = new Map([...cached, ...(unknown.length > 0 ? await parts.scores.many(unknown) : [])])
    for (const subject of same) if (present.get(subject.doc.id)?.version !== subject.doc.version) outdated.add(subject)
    // a fact that changed nothing when it came left no version
    const grown = new Set(
      moved.length === 0
        ? []
        : await parts.audit.grownSince(
            moved.flatMap(({ owners }) => owners),
            wholeUntil,
          ),
    )
    for (const subject of moved) if (subject.owners.some(owner => grown.has(owner))) outdated.add(subject)
  }
  for (const subject of subjects)
    if (outdated.has(subject)) await again(parts, subject)
    else await recomputeHeir(parts, subject.doc.id, subject.facts)
}

/** What was stored meanwhile decides: the edits are made on it, and the whole log is read again. */
async function again(parts: Parts, subject: Subject): Promise<void> {
  const { id } = subject.doc
  if (subject.edits.length + subject.commands.length > 0) await parts.scores.change(id, present => edited(subject, present))
  await recompute(parts, id)
}

const edited = ({ edits, commands }: Subject, doc: Stored<ScoreDoc>) => {
  const state = edits.reduce((made, edit) => edit(made), doc)
  return { state, events: commands.flatMap(make => make(state)) }
}

/** The document with its edits and the standing, and what is sent with it; undefined where that is what it says. */
function changed(subject: Subject, present: Stored<ScoreDoc>, now: Date): Decision<ScoreDoc> | undefined {
  const own = edited(subject, present)
  const standing = applyStanding(own.state, subject.standing, now, () => inputsOf(own.state.id, subject.log))
  if (standing) return { state: standing.state, events: [...standing.events, ...own.events] }
  return subject.edits.length + own.events.length > 0 ? own : undefined
}

/** Stores the standings. Answers those of agents of which another one was stored since their documents were read. */
async function overtaken(parts: Parts, subjects: readonly Subject[], now: Date): Promise<Subject[]> {
  const old = new Set<Subject>()
  const decideOn = (subject: Subject) => (present: Stored<ScoreDoc>) => {
    const isPresent = present.version === subject.doc.version
    if (isPresent) old.delete(subject)
    else old.add(subject)
    return isPresent ? changed(subject, present, now) : undefined
  }
  await parts.scores.changeAll(new Map(subjects.map(subject => [subject.doc.id, decideOn(subject)])))
  return [...old]
}
