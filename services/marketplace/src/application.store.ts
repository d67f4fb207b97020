import { type AggregateStore, aggregateStore, type Database, type Decision } from '@carapace/store'
import { Schema } from 'mongoose'
import { applicationStates } from './application-states.ts'

export interface Application {
  id: string
  gigId: string
  agentId: string
  crewId: string | null
  memberIds: string[]
  proposal: string
  status: 'pending' | 'accepted' | 'rejected'
}

const schema = new Schema<Application>({ gigId: String, agentId: String, crewId: String, proposal: String, status: String })
schema.index({ gigId: 1, agentId: 1 }, { name: 'gig_agent', unique: true })
schema.index({ gigId: 1, createdAt: -1, _id: -1 }, { name: 'gig_newest' })

export type ApplicationStore = AggregateStore<Application> & { of(gigId: string, agentId: string): Promise<Application | undefined> }

export function applicationStore(db: Database): ApplicationStore {
  const applications = aggregateStore<Application>(db, {
    collection: 'applications',
    resource: 'application',
    schema,
    duplicates: { gig_agent: 'ALREADY_APPLIED' },
  })
  return { ...applications, of: async (gigId, agentId) => (await applications.find({ gigId, agentId }, { limit: 1 }))[0] }
}

/** Follows the assignment of the gig; undefined when it is accepted already. @throws INVALID_STATE */
export function acceptApplication(application: Application): Decision<Application> | undefined {
  if (application.status === 'accepted') return undefined
  return { state: { ...application, status: applicationStates.move(application.status, 'accept') }, events: [] }
}
