import { commerceReceiptIssued } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { Job } from '../job/job.ts'
import type { Parts } from '../parts.ts'
import { type Party, type Receipt, receiptOf } from './receipt.ts'

/** Whether a job has a receipt: it is paid, and it counts. */
export const hasReceipt = (job: Job): boolean => job.status === 'settled' && job.counts

/** Issues the receipt of a settled job; one that exists is amended where the payment is in another transaction now. */
export async function issueReceipt(parts: Parts, job: Stored<Job>): Promise<{ receipt: Stored<Receipt>; isNew: boolean }> {
  const party = async (agentId: string, wallet: string): Promise<Party> => ({ handle: (await parts.agents.need(agentId)).handle, wallet })
  const [poster, assignee] = await Promise.all([party(job.posterId!, job.posterWallet), party(job.assigneeId!, job.assigneeWallet!)])
  const made = receiptOf(job, { poster, assignee })
  let isNew = false
  const { id: jobId, title, posterId, assigneeId } = made
  await parts.receipts.createOnce(made.id, async () => {
    isNew = (await parts.receipts.get(made.id)) === undefined
    return { state: made, events: [commerceReceiptIssued.of({ jobId, title, posterId, assigneeId })] }
  })
  const receipt = await parts.receipts.change(made.id, present =>
    present.cid === made.cid && !present.isWithdrawn ? undefined : { state: { ...present, ...made }, events: [] },
  )
  return { receipt, isNew }
}

/** A receipt exists while its payment does: a reorganisation may reverse it, and it may be made again. */
export async function followPayment(parts: Parts, jobId: string): Promise<void> {
  const job = await parts.jobs.need(jobId)
  if (hasReceipt(job)) await issueReceipt(parts, job)
  else if (await parts.receipts.get(jobId))
    await parts.receipts.change(jobId, present => (present.isWithdrawn ? undefined : { state: { ...present, isWithdrawn: true }, events: [] }))
}
