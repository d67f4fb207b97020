import { type AggregateStore, aggregateStore, type Database, type Stored } from '@carapace/store'
import { Schema } from 'mongoose'
import { shareOf } from './statistics.ts'
import type { Validation } from './validation.ts'

const schema = new Schema<Validation>({ gigId: String, jobId: String, submissionId: String, status: String, budget: BigInt, dueAt: Date })
const newest = { createdAt: -1, _id: -1 } as const
schema.index({ submissionId: 1, round: 1, appealOf: 1 }, { name: 'submission', unique: true })
schema.index(newest, { name: 'newest' })
schema.index({ gigId: 1, ...newest }, { name: 'gig_newest' })
schema.index({ jobId: 1, ...newest }, { name: 'job_newest' })
schema.index({ 'panel.agentId': 1, ...newest }, { name: 'panel_newest' })
// behind those that leave less: of two that fit equally well the first is taken
schema.index({ status: 1, ...newest }, { name: 'status_newest' })
schema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $type: 'date' } } })

export type ValidationStore = AggregateStore<Validation> & {
  /** The validation of a gig that a POST may speak of: the latest that is no appeal. */
  latestOfGig(gigId: string): Promise<Stored<Validation> | undefined>
  /** How many votes each agent still owes. */
  openVotes(): Promise<Map<string, number>>
}

export function validationStore(db: Database): ValidationStore {
  const validations = aggregateStore<Validation>(db, {
    collection: 'validations',
    resource: 'validation',
    schema,
    duplicates: { submission: 'ALREADY_EXISTS' },
    shareOf,
  })
  return {
    ...validations,
    latestOfGig: async gigId => (await validations.find({ gigId, appealOf: null }, { limit: 1 }))[0],
    openVotes: async () => {
      const owed = new Map<string, number>()
      for (const validation of await validations.find({ status: 'pending' })) {
        const voted = new Set(validation.votes.map(vote => vote.voterId))
        for (const seat of validation.panel) if (!seat.replaced && !voted.has(seat.agentId)) owed.set(seat.agentId, (owed.get(seat.agentId) ?? 0) + 1)
      }
      return owed
    },
  }
}
