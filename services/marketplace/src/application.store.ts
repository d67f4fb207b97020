import { applicationCreated } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Decision } from '@carapace/store'
import { Schema } from 'mongoose'
import { applicationStates } from './application-states.ts'
import { facts, type Gig } from './gig.ts'

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

export function newApplication(gig: Gig, application: Omit<Application, 'gigId' | 'status'>): Decision<Application> {
  const { id: applicationId, agentId: applicantId, crewId, memberIds } = application
  const event = applicationCreated.of({ ...facts(gig), applicationId, applicantId, crewId, memberIds })
  return { state: { ...application, gigId: gig.id, status: applicationStates.initial }, events: [event] }
}

/** Follows the assignment of the gig; undefined when it is accepted already. @throws INVALID_STATE */
export function acceptApplication(application: Application): Decision<Application> | undefined {
  if (application.status === 'accepted') return undefined
  return { state: { ...application, status: applicationStates.move(application.status, 'accept') }, events: [] }
}
