import { type AggregateStore, aggregateStore, type Database, type Stored } from '@carapace/store'
import { Schema } from 'mongoose'
import { firstAskMs } from './acceptance.ts'
import type { Gig } from './gig.ts'

const schema = new Schema<Gig>({
  title: String,
  skillsRequired: [String],
  budget: BigInt,
  bondRequired: BigInt,
  chain: String,
  status: String,
  posterId: String,
  assigneeId: String,
  crewId: String,
  applicantIds: [String],
  partyIds: [String],
  dueAt: Date,
})
const newest = { createdAt: -1, _id: -1 } as const
/** The indexes in the order of a list, and the filter of each. Of two that fit equally well the engine uses the first, so the most selective come first. */
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
for (const [name, fields] of Object.entries(listed)) schema.index({ ...Object.fromEntries(fields.map(field => [field, 1])), ...newest }, { name })
schema.index({ status: 1, budget: 1 }, { name: 'status_budget' })
schema.index({ budget: 1 }, { name: 'budget' })
schema.index({ crewId: 1, status: 1 }, { name: 'crew_status' })
schema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $type: 'date' } } })
schema.index({ 'acceptance.at': 1 }, { name: 'waiting', partialFilterExpression: { 'acceptance.at': { $type: 'date' } } })

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
  due(now: Date, limit: number): Promise<{ id: string }[]>
  /** Gigs with an acceptance for whose bond lock the escrow is to be asked again, the longest waiting first. */
  waiting(now: Date, limit: number): Promise<Stored<Gig>[]>
}

export function gigStore(db: Database): GigStore {
  const gigs = aggregateStore<Gig>(db, { collection: 'gigs', resource: 'gig', schema, derive: withParties })
  return {
    ...gigs,
    due: (now, limit) => gigs.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit }),
    waiting: (now, limit) => {
      const since = new Date(now.getTime() - firstAskMs)
      return gigs.find({ 'acceptance.at': { $lte: since }, 'acceptance.askAt': { $not: { $gt: now } } }, { sort: { 'acceptance.at': 1 }, limit })
    },
  }
}

/** Poster and assignee in one field, so that the gigs of an agent in either role are one range of an index. */
function withParties(gig: Gig): Gig {
  const partyIds = [gig.posterId, ...(gig.assigneeId === null ? [] : [gig.assigneeId])]
  return gig.partyIds?.join() === partyIds.join() ? gig : { ...gig, partyIds }
}
