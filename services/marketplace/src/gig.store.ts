import { type AggregateStore, aggregateStore, type Database, type Indexes, type Stored } from '@carapace/store'
import { firstRequestMs } from './acceptance.ts'
import type { Gig } from './gig.ts'

const newest = { createdAt: -1, _id: -1 } as const
/** The indexes in the order of a list, and the filter of each. Of two that fit equally the engine uses the first, so the most selective come first. */
const listed = {
  newest: [],
  poster_newest: ['posterId'],
  assignee_newest: ['assigneeId'],
  party_newest: ['partyIds'],
  skill_newest: ['skillsRequired'],
  status_newest: ['status'],
  status_skill_newest: ['status', 'skillsRequired'],
  status_chain_newest: ['status', 'chain'],
  chain_newest: ['chain'],
} as const satisfies Record<string, readonly (keyof Gig)[]>
const indexes: Indexes = {
  ...Object.fromEntries(
    Object.entries(listed).map(([name, fields]) => [name, { key: { ...Object.fromEntries(fields.map(field => [field, 1 as const])), ...newest } }]),
  ),
  status_id: { key: { status: 1, _id: 1 } },
  status_budget: { key: { status: 1, budget: 1 } },
  budget: { key: { budget: 1 } },
  crew_status: { key: { crewId: 1, status: 1 } },
  due: { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
  panel_missing: { key: { status: 1, validationId: 1, updatedAt: 1 }, partialFilterExpression: { submissionId: { $gt: '' } } },
  waiting_crew: { key: { 'acceptance.crewId': 1, status: 1 }, partialFilterExpression: { 'acceptance.crewId': { $gt: '' } } },
  waiting: { key: { 'acceptance.at': 1 }, partialFilterExpression: { 'acceptance.at': { $type: 'date' } } },
}

/** The index that has the gigs of a list in its order, for any budget. */
export function orderedBy({ posterId, assigneeId, status, skill, chain }: Partial<Record<string, unknown>>): keyof typeof listed {
  if (posterId) return 'poster_newest'
  if (assigneeId) return 'assignee_newest'
  if (skill) return status ? 'status_skill_newest' : 'skill_newest'
  if (chain) return status ? 'status_chain_newest' : 'chain_newest'
  return status ? 'status_newest' : 'newest'
}

export type GigStore = AggregateStore<Gig> & {
  /** Gigs whose time is up, the longest waiting first. */
  due(now: Date, limit: number): Promise<Stored<Gig>[]>
  /** Gigs with an acceptance whose bond lock is to be requested again, the longest waiting first. */
  waiting(now: Date, limit: number): Promise<Stored<Gig>[]>
}

export function gigStore(db: Database): GigStore {
  const gigs = aggregateStore<Gig>(db, { collection: 'gigs', resource: 'gig', indexes, optimistic: true, derive: withParties })
  return {
    ...gigs,
    due: (now, limit) => gigs.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit }),
    waiting: (now, limit) => {
      const since = new Date(now.getTime() - firstRequestMs)
      return gigs.find({ 'acceptance.at': { $lte: since }, 'acceptance.requestAt': { $not: { $gt: now } } }, { sort: { 'acceptance.at': 1 }, limit })
    },
  }
}

/** Poster and assignee in one field, so that the gigs of an agent in either role are one range of an index. */
function withParties(gig: Gig): Gig {
  const partyIds = [gig.posterId, ...(gig.assigneeId === null ? [] : [gig.assigneeId])]
  return gig.partyIds?.join() === partyIds.join() ? gig : { ...gig, partyIds }
}
