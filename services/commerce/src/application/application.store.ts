import { jobApplied } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Indexes } from '@carapace/store'
import type { Job } from '../job/job.ts'
import { facts } from '../job/transition.ts'

export interface Application {
  id: string
  jobId: string
  agentId: string
  proposal: string
}

const newest = { createdAt: -1, _id: -1 } as const
const indexes: Indexes = {
  job_agent: { key: { jobId: 1, agentId: 1 }, unique: true },
  job_newest: { key: { jobId: 1, ...newest } },
  agent_newest: { key: { agentId: 1, ...newest } },
}

export type ApplicationStore = AggregateStore<Application> & {
  of(jobId: string, agentId: string): Promise<Application | undefined>
  /** Agents that have applied: none of them judges the work. */
  applicantsOf(jobId: string): Promise<string[]>
}

export function applicationStore(db: Database): ApplicationStore {
  const applications = aggregateStore<Application>(db, {
    collection: 'applications',
    resource: 'application',
    indexes,
    duplicates: { job_agent: 'ALREADY_APPLIED' },
  })
  return {
    ...applications,
    of: async (jobId, agentId) => (await applications.find({ jobId, agentId }, { limit: 1 }))[0],
    applicantsOf: async jobId => (await applications.find({ jobId })).map(({ agentId }) => agentId),
  }
}

export function newApplication(job: Job, application: Omit<Application, 'jobId'>, now: Date): Decision<Application> {
  const event = jobApplied.of({ ...facts(job, now, null), applicantId: application.agentId })
  return { state: { ...application, jobId: job.id }, events: job.posterId === null ? [] : [event] }
}
