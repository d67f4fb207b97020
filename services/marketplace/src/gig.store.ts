import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import { Schema } from 'mongoose'
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
schema.index(newest, { name: 'newest' })
// of two that fit equally well the first is taken: those that leave the least come first
schema.index({ posterId: 1, ...newest }, { name: 'poster_newest' })
schema.index({ assigneeId: 1, ...newest }, { name: 'assignee_newest' })
schema.index({ partyIds: 1, ...newest }, { name: 'party_newest' })
schema.index({ skillsRequired: 1, ...newest }, { name: 'skill_newest' })
schema.index({ status: 1, ...newest }, { name: 'status_newest' })
schema.index({ status: 1, skillsRequired: 1, ...newest }, { name: 'status_skill_newest' })
schema.index({ status: 1, chain: 1, ...newest }, { name: 'status_chain_newest' })
schema.index({ chain: 1, ...newest }, { name: 'chain_newest' })
schema.index({ status: 1, budget: 1 }, { name: 'status_budget' })
schema.index({ budget: 1 }, { name: 'budget' })
schema.index({ crewId: 1, status: 1 }, { name: 'crew_status' })
schema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $type: 'date' } } })

/** Which index has the gigs of a list in its order, whatever their budget. */
export function orderedBy({ posterId, assigneeId, status, skill, chain }: Partial<Record<string, unknown>>): string {
  if (posterId) return 'poster_newest'
  if (assigneeId) return 'assignee_newest'
  const known = [...(status ? ['status'] : []), ...(skill ? ['skill'] : chain ? ['chain'] : [])]
  return [...known, 'newest'].join('_')
}

export type GigStore = AggregateStore<Gig> & {
  /** Gigs whose time is up, the longest waiting first. */
  due(now: Date, limit: number): Promise<{ id: string }[]>
}

export function gigStore(db: Database): GigStore {
  const gigs = aggregateStore<Gig>(db, { collection: 'gigs', resource: 'gig', schema, derive: withParties })
  return { ...gigs, due: (now, limit) => gigs.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit }) }
}

/** Poster and assignee in one field, so that the gigs of an agent in either role are one range of an index. */
function withParties(gig: Gig): Gig {
  const partyIds = [gig.posterId, ...(gig.assigneeId === null ? [] : [gig.assigneeId])]
  return gig.partyIds?.join() === partyIds.join() ? gig : { ...gig, partyIds }
}
