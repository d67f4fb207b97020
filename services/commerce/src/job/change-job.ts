import { newAgentScore } from '@carapace/api'
import type { Decision, Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import type { Job } from './job.ts'
import type { Moment } from './transition.ts'

/**
 * The only way in which a job changes; the store posts what a change means for the ledger.
 * @throws CONFLICT, and what `decide` refuses
 */
export const changeJob = (
  parts: Pick<Parts, 'jobs' | 'queue'>,
  jobId: string,
  decide: (job: Stored<Job>) => Decision<Job> | undefined,
  cause?: string,
): Promise<Stored<Job>> => parts.queue.serialize(jobId, () => parts.jobs.change(jobId, decide, cause === undefined ? {} : { cause }))

/** What a transition of this job needs besides its record. */
export async function momentOf(
  parts: Pick<Parts, 'agents' | 'applications' | 'clock'>,
  { id, posterId, assigneeId }: Pick<Job, 'id' | 'posterId' | 'assigneeId'>,
): Promise<Moment> {
  const [agents, applicantIds] = await Promise.all([
    parts.agents.many([posterId, assigneeId].filter(agentId => agentId !== null)),
    parts.applications.applicantsOf(id),
  ])
  const scoreOf = (agentId: string | null) => (agentId === null ? undefined : agents.get(agentId))?.fusedScore ?? newAgentScore.fusedScore
  return { now: parts.clock.now(), posterScore: scoreOf(posterId), assigneeScore: scoreOf(assigneeId), applicantIds }
}
