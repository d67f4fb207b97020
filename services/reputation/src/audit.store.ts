import { createHash } from 'node:crypto'
import type { PageQuery } from '@carapace/api'
import { type Fact, type Logged, marketId } from '@carapace/formula'
import { type Database, duplicateIndex, type Indexes, type Page, type Stored, totalsOf } from '@carapace/store'
import { factCacheOf } from './fact-cache.ts'
import type { ScoreDoc, ScoreStore } from './score.store.ts'

/** One entry of the hash-chained log. Entries never change. */
export interface Entry {
  _id: string
  seq: number
  agentId: string
  type: Fact['type']
  details: Fact
  /** The event it comes from: one entry for each event, agent and key. */
  eventId: string
  source: string
  txHash: string | null
  scoreBefore: number
  scoreAfter: number
  at: Date
  createdAt: Date
  prevHash: string
  hash: string
}

export interface NewEntry {
  agentId: string
  fact: Fact
  /** Distinguishes entries of one event for one agent. */
  key: string
  eventId: string
  source: string
  txHash: string | null
  at: Date
}

export type ScoredEntry = NewEntry & { scores: { before: number; after: number } }

export interface AuditLog {
  /** Appends, once per event, agent and key, in this order. Resolves to their sequence numbers; undefined for one that exists. */
  append(entries: readonly ScoredEntry[]): Promise<(number | undefined)[]>
  /** Sequence number of the last entry that this process appended; undefined: none, or another process has appended since. */
  position(): number | undefined
  /** Sequence number of the last entry; 0 before the first. */
  last(): Promise<number>
  /** Those of the agents whose logs have entries after a position. */
  grownSince(agentIds: readonly string[], position: number): Promise<string[]>
  /** To be called before an agent is made of which `isEmpty`. */
  begin(): number
  /** The agent had no facts when it was made, after `begin`. */
  isEmpty(agentId: string, since: number): void
  /** Facts of these agents in order of their time. */
  factsOf(agentIds: readonly string[]): Promise<Logged[]>
  /** The same with those of the market, and the agents' scores, in one read of what is not known. */
  factsWith(
    scores: Pick<ScoreStore, 'manyWith' | 'many' | 'cached'>,
    agentIds: readonly string[],
  ): Promise<{ docs: Map<string, Stored<ScoreDoc>>; log: Logged[] }>
  page(filter: Record<string, unknown>, page: PageQuery): Promise<Page<Entry>>
  /** What a fact changed when it was appended; nothing where it is not in the log. */
  scoresOf(entry: Pick<NewEntry, 'eventId' | 'agentId' | 'key'>): Promise<Partial<Pick<Entry, 'scoreBefore' | 'scoreAfter'>>>
  /** The newest entries of an agent, newest first. */
  newest(agentId: string, limit: number): Promise<Entry[]>
  /** Sequence numbers whose hash or link is wrong; empty when the chain is whole. */
  verify(): Promise<number[]>
}

const indexes: Indexes = {
  seq: { key: { seq: 1 }, unique: true },
  agent_seq: { key: { agentId: 1, seq: -1 } },
  type_seq: { key: { type: 1, seq: -1 } },
}
const genesis = '0'.repeat(64)

export function auditLog(db: Database): AuditLog {
  const totals = totalsOf(db, 'audit')
  const entries = db.collection<Entry>('audit', indexes)
  // one append at a time in this process; among replicas the unique sequence decides and the loser tries again
  let tail: Promise<unknown> = Promise.resolve()
  const inLine = <T>(work: () => Promise<T>): Promise<T> => {
    const next = tail.then(work, work)
    tail = next.catch(() => undefined)
    return next
  }

  const cache = factCacheOf(db)
  /** What is known of these agents' logs, and whose have to be read. */
  const cached = (agentIds: readonly string[]) => {
    const since = cache?.begin() ?? 0
    const unread = [...new Set(agentIds)].filter(id => cache?.of(id) === undefined)
    return { facts: [...new Set(agentIds)].flatMap(id => cache?.of(id) ?? []), unread, since }
  }

  let newest: Pick<Entry, 'seq' | 'hash'> | undefined
  const after = (last: Pick<Entry, 'seq' | 'hash'> | undefined, { scores, ...entry }: ScoredEntry): Entry => {
    const body = {
      _id: idOf(entry),
      seq: (last?.seq ?? 0) + 1,
      agentId: entry.agentId,
      type: entry.fact.type,
      details: entry.fact,
      eventId: entry.eventId,
      source: entry.source,
      txHash: entry.txHash,
      scoreBefore: scores.before,
      scoreAfter: scores.after,
      at: entry.at,
      createdAt: db.clock.now(),
      prevHash: last?.hash ?? genesis,
    }
    return { ...body, hash: hashOf(body) }
  }
  const tryAppend = async (entry: ScoredEntry): Promise<number | undefined> => {
    for (;;) {
      const whole = after(newest ?? (await entries.findOne({}, { sort: { seq: -1 } })) ?? undefined, entry)
      try {
        await entries.insertOne(whole)
        newest = whole
        return whole.seq
      } catch (error) {
        // another process may have appended, or this entry was appended although its answer was lost
        newest = undefined
        const index = duplicateIndex(error)
        if (index === '_id_') return undefined
        if (index !== 'seq') throw error
      }
    }
  }
  /** All in one write, where none of them exists and nobody else appends. */
  const appendAll = async (all: readonly ScoredEntry[]): Promise<(number | undefined)[]> => {
    if (newest && all.length > 1) {
      const chain: Entry[] = []
      for (const entry of all) chain.push(after(chain.at(-1) ?? newest, entry))
      try {
        await entries.insertMany(chain)
        newest = chain.at(-1)!
        return chain.map(({ seq }) => seq)
      } catch (error) {
        newest = undefined
        if (duplicateIndex(error) === undefined) throw error
      }
    }
    const positions: (number | undefined)[] = []
    for (const entry of all) positions.push(await tryAppend(entry))
    return positions
  }

  const newestOf = (filter: Record<string, unknown>, { limit, offset }: PageQuery) =>
    entries.find(filter, { sort: { seq: -1 }, skip: offset, limit }).toArray()

  return {
    append: all =>
      inLine(async () => {
        try {
          const positions = await appendAll(all)
          // one that existed may be of this very group, stored before another one of it collided
          if (positions.includes(undefined)) cache?.forget()
          else cache?.appended(all.flatMap((entry, at) => factOf(entry, positions[at]) ?? []))
          return positions
        } catch (error) {
          cache?.forget()
          throw error
        } finally {
          totals.forget()
        }
      }),
    position: () => newest?.seq,
    begin: () => cache?.begin() ?? 0,
    isEmpty: (agentId, since) => cache?.put([agentId], [], since),
    last: async () => (await entries.findOne({}, { projection: { seq: 1 }, sort: { seq: -1 } }))?.seq ?? 0,
    grownSince: async (agentIds, position) =>
      db.exclusive && newest?.seq === position ? [] : entries.distinct('agentId', { agentId: { $in: [...agentIds] }, seq: { $gt: position } }),
    factsOf: async agentIds => {
      const { facts, unread, since } = cached(agentIds)
      if (unread.length === 0) return inOrder(facts)
      const read = factsIn(await entries.find({ agentId: { $in: unread } }, { projection: factFields }).toArray())
      cache?.put(unread, read, since)
      return inOrder([...facts, ...read])
    },
    factsWith: async (scores, agentIds) => {
      const { facts, unread, since } = cached([...agentIds, marketId])
      const docs = scores.cached(agentIds)
      const others = agentIds.filter(id => !docs.has(id))
      const pipeline = [{ $match: { agentId: { $in: unread } } }, { $project: factFields }]
      const { found, joined } =
        unread.length > 0
          ? await scores.manyWith(others, { collection: 'audit', pipeline })
          : { found: others.length > 0 ? await scores.many(others) : [], joined: [] }
      const read = factsIn(joined as FactRow[])
      cache?.put(unread, read, since)
      return { docs: new Map([...docs, ...found]), log: inOrder([...facts, ...read]) }
    },
    page: (filter, page) => totals.page(filter, page, () => newestOf(filter, page)),
    scoresOf: async entry => {
      const found = await entries.findOne({ _id: idOf(entry) }, { projection: { _id: 0, scoreBefore: 1, scoreAfter: 1 } })
      return found ? { scoreBefore: found.scoreBefore, scoreAfter: found.scoreAfter } : {}
    },
    newest: (agentId, limit) => newestOf({ agentId }, { limit, offset: 0 }),
    verify: async () => {
      const broken: number[] = []
      let previous = genesis
      for await (const { hash, ...body } of entries.find({}, { sort: { seq: 1 } })) {
        if (body.prevHash !== previous || hashOf(body) !== hash) broken.push(body.seq)
        previous = hash
      }
      return broken
    },
  }
}

type FactRow = Pick<Entry, 'agentId' | 'details' | 'at' | 'seq'>
const factFields = { agentId: 1, details: 1, at: 1, seq: 1 } as const

const factsIn = (rows: readonly FactRow[]): Logged[] => rows.map(({ agentId, details, at, seq }) => ({ ...details, agentId, at, seq }))

/** As it is read; undefined for an entry that existed. */
const factOf = ({ agentId, fact, at }: ScoredEntry, seq: number | undefined): Logged | undefined =>
  seq === undefined ? undefined : { ...fact, agentId, at, seq }

/** In order of their time; those of one time in the order of the log. */
const inOrder = (facts: readonly Logged[]): Logged[] => [...facts].sort((a, b) => a.at.getTime() - b.at.getTime() || (a.seq ?? 0) - (b.seq ?? 0))

/** The same for the same event, agent and key: a second delivery collides with the first. */
function idOf({ eventId, agentId, key }: Pick<NewEntry, 'eventId' | 'agentId' | 'key'>): string {
  return createHash('sha256').update(`${eventId}\n${agentId}\n${key}`).digest('hex').slice(0, 32)
}

/** SHA-256 over the entry with its keys in a fixed order. */
function hashOf(body: Omit<Entry, 'hash'>): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(body)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
