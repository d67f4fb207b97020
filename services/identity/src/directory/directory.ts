import { isDeepStrictEqual } from 'node:util'
import { type Chain, laneRank, type PageQuery } from '@carapace/api'
import type { Database } from '@carapace/store'
import { cachedAnswers } from './cached-answers.ts'
import { type Candidate, type Order, questionOf, type Wish } from './discover.ts'
import { textIndex } from './text-index.ts'

/** Ids of one page, and how many there are in all. */
export interface Found {
  ids: string[]
  total: number
}

/** Queries over all agents: held in memory (some 2 kB for each), refreshed before each answer. */
export interface Directory {
  /** Active agents whose text holds this, newest first; `first`, if it is among them, before all others. */
  findByText(part: string, page: PageQuery, first?: string): Promise<Found>
  /** Agents for hire that fit. */
  discover(wish: Wish, sortBy: Order, page: PageQuery): Promise<Found>
}

interface Row {
  _id: string
  status: string
  hireable: boolean
  searchText: string
  skillNames: string[]
  standing: Pick<Candidate, 'fusedScore' | 'tier' | 'riskScore' | 'totalBonded' | 'totalGigsCompleted'>
  preferredChain: Chain
  lastSeenAt: Date
  createdAt: Date
}
const fields = ['status', 'hireable', 'searchText', 'skillNames', 'preferredChain', 'lastSeenAt', 'createdAt'] satisfies (keyof Row)[]
const standing = ['fusedScore', 'tier', 'riskScore', 'totalBonded', 'totalGigsCompleted'] satisfies (keyof Row['standing'])[]
const projection = Object.fromEntries([...fields, ...standing.map(name => `standing.${name}`)].map(name => [name, 1 as const]))

/** Milliseconds for which an answer may miss what another process has written: as long as public reads may be cached. */
const pollMs = 1_000
/** Milliseconds by which a write may become visible later than the time that it carries, between processes. */
const overlapMs = 5_000
const batchSize = 200
/** Agents that each poll reads again, regardless of their time of change. */
const roundSize = 200

export function openDirectory(db: Database, collection: string): Directory {
  const texts = textIndex()
  const candidates = new Map<string, Candidate>()
  const answers = cachedAnswers<Candidate>()
  const lane = laneRank()
  /** Written by this process and not read since. */
  const written = new Set<string>()
  let polled: { at: Date; due: number } | undefined
  /** Up to this agent, by id, all have been read in this round. */
  let rounded = ''
  let refreshing: Promise<void> = Promise.resolve()
  db.changes.on('saved', (saved, id) => {
    if (saved === collection) written.add(id)
  })

  const index = (row: Row) => {
    const { _id: id, status, searchText: text, createdAt } = row
    if (status === 'active') texts.put({ id, text, createdAt })
    else texts.remove(id)
    const before = candidates.get(id)
    const after = row.hireable ? candidateOf(row) : undefined
    // most rows that are read again have not changed: the cached answers stay valid
    if (isDeepStrictEqual(before, after)) return
    if (after) candidates.set(id, after)
    else candidates.delete(id)
    answers.change(before, after)
    if (before) lane.remove(before)
    if (after) lane.add(after)
  }
  const rows = db.connection.collection<Row>(collection)
  const read = async (filter: Record<string, unknown>, sort: Record<string, 1> = {}) => {
    for await (const row of rows.find(filter, { projection, sort, batchSize })) index(row)
  }
  /** Walks all agents, a few at a time: this finds changes that a poll missed because of a wrong clock or a slow write. */
  const readRound = async () => {
    const some = await rows.find({ _id: { $gt: rounded } }, { projection, sort: { _id: 1 }, limit: roundSize }).toArray()
    for (const row of some) index(row)
    rounded = some.length < roundSize ? '' : some.at(-1)!._id
  }
  const poll = async () => {
    const at = db.clock.now()
    if (polled) {
      await read({ updatedAt: { $gte: new Date(polled.at.getTime() - overlapMs) } })
      await readRound()
    } else await read({ status: 'active' }, { createdAt: 1, _id: 1 })
    polled = { at, due: performance.now() + pollMs }
  }
  const readWritten = async () => {
    const ids = [...written]
    written.clear()
    await read({ _id: { $in: ids } }).catch((error: unknown) => {
      for (const id of ids) written.add(id)
      throw error
    })
  }
  /** One after the other: what was read later is never older. */
  const refreshed = () => {
    refreshing = refreshing
      .catch(() => undefined)
      .then(async () => {
        if (!polled || polled.due <= performance.now()) await poll()
        if (written.size > 0) await readWritten()
      })
    return refreshing
  }

  return {
    findByText: async (part, page, first) => {
      await refreshed()
      return texts.find(part, page, first)
    },
    discover: async (wish, sortBy, { limit, offset }) => {
      await refreshed()
      const found = answers.to(questionOf(wish, sortBy, db.clock.now(), lane.rank()), () => candidates.values())
      return { ids: found.slice(offset, offset + limit).map(({ id }) => id), total: found.length }
    },
  }
}

function candidateOf({ _id: id, searchText: text, skillNames: skills, standing, preferredChain: chain, lastSeenAt, createdAt }: Row): Candidate {
  const { fusedScore, tier, riskScore, totalBonded, totalGigsCompleted } = standing
  return { id, text, skills, fusedScore, tier, riskScore, totalBonded, totalGigsCompleted, chain, lastSeenAt, createdAt }
}
