import { type AggregateStore, aggregateStore, type Database, type Indexes, type Stored } from '@carapace/store'
import { shareOf } from './statistics.ts'
import { owingOf, type Validation } from './validation.ts'

const newest = { createdAt: -1, _id: -1 } as const
/** What is on its way to the chain: few at any time. */
const pendingPlaces = ['opening.status', 'panel.replacement.status', 'votes.status']
const indexes: Indexes = {
  submission: { key: { submissionId: 1, round: 1, appealOf: 1 }, unique: true },
  newest: { key: newest },
  gig_newest: { key: { gigId: 1, ...newest } },
  job_newest: { key: { jobId: 1, ...newest } },
  panel_newest: { key: { 'panel.agentId': 1, ...newest } },
  owing_newest: { key: { owing: 1, ...newest }, partialFilterExpression: { status: 'pending' } },
  // after the more selective ones: of two that fit equally the engine uses the first
  status_newest: { key: { status: 1, ...newest } },
  ...Object.fromEntries(
    pendingPlaces.map(place => [`pending_${place}`, { key: { [place]: 1 as const }, partialFilterExpression: { [place]: 'pending' } }]),
  ),
  due: { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
  verdict_open: { key: { updatedAt: 1 }, partialFilterExpression: { isVerdictOpen: true } },
}

export type ValidationStore = AggregateStore<Validation> & {
  /** The validation of a gig that a POST refers to: the latest that is no appeal. */
  latestOfGig(gigId: string): Promise<Stored<Validation> | undefined>
  /** The pending validations in which the agent has yet to vote, newest first. */
  openOf(agentId: string): Promise<Stored<Validation>[]>
}

export function validationStore(db: Database): ValidationStore {
  const validations = aggregateStore<Validation>(db, {
    collection: 'validations',
    resource: 'validation',
    optimistic: true,
    indexes,
    duplicates: { submission: 'ALREADY_EXISTS' },
    shareOf,
    derive: withOwing,
  })
  return {
    ...validations,
    latestOfGig: async gigId => (await validations.find({ gigId, appealOf: null }, { limit: 1 }))[0],
    openOf: agentId => validations.find({ status: 'pending', owing: agentId }),
  }
}

/** The seats without a vote of the validations in which these agents have one. No more of a document: order, votes and their reasons stay where they are. */
export const openVotesOf = (agentIds: readonly string[]) => [
  { $match: { status: 'pending', owing: { $in: [...agentIds] } } },
  { $project: { _id: 0, owing: 1 } },
]

/** Seats without a vote, in one field, so that the open votes of an agent are one range of an index. */
function withOwing(validation: Validation): Validation {
  const owing = owingOf(validation)
  return validation.owing?.join() === owing.join() ? validation : { ...validation, owing }
}
