import { applicationCreated } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Indexes } from '@carapace/store'
import { facts, type Gig } from '../gig.ts'
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

const indexes: Indexes = {
  gig_agent: { key: { gigId: 1, agentId: 1 }, unique: true },
  gig_newest: { key: { gigId: 1, createdAt: -1, _id: -1 } },
}

export type ApplicationStore = AggregateStore<Application> & { of(gigId: string, agentId: string): Promise<Application | undefined> }

export function applicationStore(db: Database): ApplicationStore {
  const applications = aggregateStore<Application>(db, {
    collection: 'applications',
    resource: 'application',
    optimistic: true,
    indexes,
    duplicates: { gig_agent: 'ALREADY_APPLIED' },
  })
  return { ...applications, of: async (gigId, agentId) => (await applications.find({ gigId, agentId }, { limit: 1 }))[0] }
}

export function newApplication(gig: Gig, application: Omit<Application, 'gigId' | 'status'>): Decision<Application> {
  const { id: applicationId, agentId: applicantId, crewId, memberIds } = application
  const event = applicationCreated.of({ ...facts(gig), applicationId, applicantId, crewId, memberIds })
  return { state: { ...application, gigId: gig.id, status: applicationStates.initial }, events: [event] }
}

/** Follows the assignment of the gig; undefined when it is accepted already. */
export function acceptApplication(application: Application): Decision<Application> | undefined {
  if (application.status === 'accepted') return undefined
  return { state: { ...application, status: applicationStates.move(application.status, 'accept') }, events: [] }
}

/** Follows a gig that was assigned to another agent or has ended; undefined when the application has its end, or its gig is open. */
export function rejectApplication(application: Application, { status, assigneeId }: Gig): Decision<Application> | undefined {
  if (status === 'open' || assigneeId === application.agentId || application.status !== 'pending') return undefined
  return { state: { ...application, status: applicationStates.move(application.status, 'reject') }, events: [] }
}
