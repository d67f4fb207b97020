import type { Job, Verdict } from './job.ts'
import type { Result } from './transition.ts'

/** The panel of a job: shown with it. */
export const linkValidation = (job: Job, validationId: string): Result | undefined =>
  job.validationId === validationId ? undefined : { state: { ...job, validationId }, events: [] }

/** Stores the verdict of the panel; what follows is a matter of time. A dispute has it as its default. */
export function recordVerdict(job: Job, verdict: Verdict): Result | undefined {
  const isJudged = job.status === 'submitted' || job.status === 'disputed'
  if (!isJudged || job.verdict?.validationId === verdict.validationId) return undefined
  return { state: { ...job, validationId: verdict.validationId, verdict }, events: [] }
}
