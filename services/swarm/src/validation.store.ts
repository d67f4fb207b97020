import { type AggregateStore, aggregateStore, type Database, type Stored } from '@carapace/store'
import { Schema } from 'mongoose'
import { shareOf } from './statistics.ts'
import { owingOf, type Validation } from './validation.ts'

const schema = new Schema<Validation>({ gigId: String, jobId: String, submissionId: String, status: String, budget: BigInt, dueAt: Date })
const newest = { createdAt: -1, _id: -1 } as const
schema.index({ submissionId: 1, round: 1, appealOf: 1 }, { name: 'submission', unique: true })
schema.index(newest, { name: 'newest' })
schema.index({ gigId: 1, ...newest }, { name: 'gig_newest' })
schema.index({ jobId: 1, ...newest }, { name: 'job_newest' })
schema.index({ 'panel.agentId': 1, ...newest }, { name: 'panel_newest' })
schema.index({ owing: 1, ...newest }, { name: 'owing_newest', partialFilterExpression: { status: 'pending' } })
// after the more selective ones: of two that fit equally well the engine uses the first
schema.index({ status: 1, ...newest }, { name: 'status_newest' })
// what is on its way to the chain: few at any time
for (const place of ['opening.status', 'panel.replacement.status', 'votes.status'])
  schema.index({ [place]: 1 }, { name: `pending_${place}`, partialFilterExpression: { [place]: 'pending' } })
schema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $type: 'date' } } })

export type ValidationStore = AggregateStore<Validation> & {
  /** The validation of a gig that a POST refers to: the latest that is no appeal. */
  latestOfGig(gigId: string): Promise<Stored<Validation> | undefined>
  /** The pending validations in which the agent has yet to vote, newest first. */
  openOf(agentId: string): Promise<Stored<Validation>[]>
  /** How many votes each agent has open. */
  openVotes(): Promise<Map<string, number>>
}

export function validationStore(db: Database): ValidationStore {
  const validations = aggregateStore<Validation>(db, {
    collection: 'validations',
    resource: 'validation',
    schema,
    duplicates: { submission: 'ALREADY_EXISTS' },
    shareOf,
    derive: withOwing,
  })
  return {
    ...validations,
    latestOfGig: async gigId => (await validations.find({ gigId, appealOf: null }, { limit: 1 }))[0],
    openOf: agentId => validations.find({ status: 'pending', owing: agentId }),
    openVotes: async () => {
      const open = new Map<string, number>()
      // no more of each document than these few ids: order, votes and their reasons stay where they are
      const pending = validations.collection.find<Pick<Validation, 'owing'>>({ status: 'pending' }, { projection: { _id: 0, owing: 1 } })
      for await (const { owing = [] } of pending) for (const agentId of owing) open.set(agentId, (open.get(agentId) ?? 0) + 1)
      return open
    },
  }
}

/** Seats without a vote, in one field, so that the open votes of an agent are one range of an index. */
function withOwing(validation: Validation): Validation {
  const owing = owingOf(validation)
  return validation.owing?.join() === owing.join() ? validation : { ...validation, owing }
}
