import type { Job, Verdict } from './job.ts'
import type { Result } from './transition.ts'

/** A panel judges one delivery. One whose delivery the chain has dropped decides nothing about the next. */
const isJudgedBy = (job: Job, submissionId: string): boolean => job.delivery?.submissionId === submissionId

/** The panel of the present delivery: shown with the job. */
export const linkValidation = (job: Job, submissionId: string, validationId: string): Result | undefined =>
  !isJudgedBy(job, submissionId) || job.validationId === validationId ? undefined : { state: { ...job, validationId }, events: [] }

/** Stores the verdict on the present delivery; what follows is a matter of time. A dispute has it as its default. */
export function recordVerdict(job: Job, submissionId: string, verdict: Verdict): Result | undefined {
  const isJudged = (job.status === 'submitted' || job.status === 'disputed') && isJudgedBy(job, submissionId)
  if (!isJudged || job.verdict?.validationId === verdict.validationId) return undefined
  return { state: { ...job, validationId: verdict.validationId, verdict }, events: [] }
}
