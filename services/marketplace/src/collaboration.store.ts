import { gigCommented } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Indexes } from '@carapace/store'
import type { CrewRole } from './crew/crew.ts'
import { facts, type Gig } from './gig.ts'

export interface Comment {
  id: string
  gigId: string
  agentId: string
  content: string
  isInternal: boolean
  /** Nothing but the fact is left of it: its author may delete it again. Missing where it is not so. */
  isDeleted?: boolean
}

export interface WorkEntry {
  id: string
  gigId: string
  agentId: string
  /** `@handle` of the lead, `ROLE#N` of all others: no agent id leaves this service by the work log. */
  identifier: string
  role: CrewRole
  action: 'claimed' | 'submitted' | 'approved' | 'revision'
  subtask: string
}

const commentIndexes: Indexes = {
  gig_newest: { key: { gigId: 1, createdAt: -1, _id: -1 } },
}
export const commentStore = (db: Database): AggregateStore<Comment> =>
  aggregateStore<Comment>(db, { collection: 'comments', resource: 'comment', indexes: commentIndexes })

export function newComment(gig: Gig, comment: Omit<Comment, 'gigId'>): Decision<Comment> {
  const { id: commentId, agentId: authorId, isInternal } = comment
  const event = gigCommented.of({ ...facts(gig), assigneeId: gig.assigneeId, commentId, authorId, isInternal })
  return { state: { ...comment, gigId: gig.id }, events: [event] }
}

const workIndexes: Indexes = {
  gig_oldest: { key: { gigId: 1, createdAt: 1, _id: 1 } },
}
export const workStore = (db: Database): AggregateStore<WorkEntry> =>
  aggregateStore<WorkEntry>(db, { collection: 'work_log', resource: 'work log entry', indexes: workIndexes })
