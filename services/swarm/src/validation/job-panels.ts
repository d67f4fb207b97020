import { commerceApi, type JobRow } from '@carapace/api'
import type { Parts } from '../parts.ts'
import { endPanel } from './end-panel.ts'
import type { GigOutcome } from './supersede.ts'

/**
 * The chain may drop a delivery for good, and the assignee deliver again: then the earlier panel judges nothing. Deliveries are announced in any
 * order, so the job's owner says which one is present.
 */
export async function endReplacedPanels(parts: Parts, jobId: string): Promise<void> {
  const pending = await parts.validations.find({ jobId, status: 'pending' }, { limit: 2 })
  if (pending.length > 1) await endJobPanels(parts, jobId)
}

/** Queries commerce, and ends the pending validations of a job that has ended or has another delivery. */
export async function endJobPanels(parts: Parts, jobId: string): Promise<void> {
  const job = await parts.peers.find('commerce', commerceApi.internal.getJobRow, { params: { id: jobId } })
  if (!job) return
  for (const { id, submissionId } of await parts.validations.find({ jobId, status: 'pending' })) {
    const outcome = outcomeFor(job, submissionId)
    if (outcome) await endPanel(parts, id, outcome)
  }
}

const ends: Partial<Record<JobRow['status'], GigOutcome>> = { settled: 'release', rejected: 'refund', cancelled: 'refund' }

/** What the job says of the delivery that a panel judges; undefined while the panel is needed. */
function outcomeFor({ status, submissionId }: JobRow, judged: string): GigOutcome | undefined {
  const ended = ends[status]
  if (submissionId === judged) return ended
  // without another delivery the chain may still carry this one out
  return submissionId !== null || ended ? 'undelivered' : undefined
}
