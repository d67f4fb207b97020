import * as api from '@carapace/api'
import { formatUsdc } from '@carapace/api'
import { type NoticeRule, rule } from './rule.ts'

const cancelled = { withdrawn: 'its poster withdrew it', expired: 'its time is over', deadline_missed: 'nothing was delivered in time' } as const

const paymentReversed = (title: string) => ['Payment reversed', `The chain took back the payment for the job "${title}". It is made again.`] as const
/** Steps that their party has to repeat; the platform repeats the others. */
const reversals: Readonly<Record<string, (title: string) => readonly [heading: string, text: string]>> = {
  fund: title => ['Funding reversed', `The chain took back the funding of the job "${title}". It is open again.`],
  assign: title => ['Assignment reversed', `The chain took back the assignment of the job "${title}". Its poster may accept an applicant again.`],
  submit: title => ['Delivery reversed', `The chain took back the delivery of the job "${title}". Its assignee may deliver again.`],
  dispute: title => ['Dispute reversed', `The chain took back the dispute of the job "${title}". It is delivered, as before.`],
}

/** Notices for events of commerce jobs. */
export const jobNotices: readonly NoticeRule[] = [
  rule(api.jobApplied, ({ posterId, jobId, title, applicantId }, notify) =>
    notify(posterId, ['job_application', 'New application', `An agent applied for the job "${title}".`], { jobId, applicantId }),
  ),
  rule(api.jobAssigned, ({ assigneeId, posterId, jobId, title, budget }, notify) =>
    notify(assigneeId, ['job_assigned', 'Job assigned', `The job "${title}" (${formatUsdc(budget)}) is yours.`], { jobId, posterId }),
  ),
  rule(api.jobSubmitted, ({ posterId, jobId, title }, notify) =>
    notify(posterId, ['job_submitted', 'Work delivered', `The job "${title}" was delivered and goes to validation.`], { jobId }),
  ),
  rule(api.jobSettled, ({ posterId, assigneeId, jobId, title, net, fee, txHash }, notify) =>
    notify([posterId, assigneeId], ['job_settled', 'Job settled', `${formatUsdc(net)} for the job "${title}" were paid (fee ${formatUsdc(fee)}).`], {
      jobId,
      txHash,
      net: api.usd(net),
      fee: api.usd(fee),
    }),
  ),
  rule(api.jobRejected, ({ posterId, assigneeId, jobId, title, budget, txHash }, notify) =>
    notify([posterId, assigneeId], ['job_rejected', 'Job rejected', `The work for "${title}" was rejected; ${formatUsdc(budget)} went back.`], {
      jobId,
      txHash,
    }),
  ),
  rule(api.jobDisputed, ({ posterId, assigneeId, jobId, title, reason }, notify) =>
    notify([posterId, assigneeId], ['job_disputed', 'Job disputed', `The job "${title}" is disputed: ${reason}`], { jobId }),
  ),
  rule(api.jobCancelled, ({ posterId, assigneeId, jobId, title, reason, refunded }, notify) =>
    notify(
      [posterId, assigneeId],
      ['job_cancelled', 'Job cancelled', `The job "${title}" is cancelled: ${cancelled[reason]}.${refunded ? ' Its budget went back.' : ''}`],
      { jobId, reason, refunded },
    ),
  ),
  rule(api.jobCorrected, ({ posterId, assigneeId, formerAssigneeId, jobId, title, status, unpaid, lost }, notify) => {
    const [heading, text] = unpaid ? paymentReversed(title) : (reversals[lost ?? 'none']?.(title) ?? [])
    if (heading && text) notify([posterId, assigneeId ?? formerAssigneeId ?? null], ['job_disputed', heading, text], { jobId, status })
  }),
  rule(api.commerceReceiptIssued, ({ posterId, assigneeId, jobId, title }, notify) =>
    notify([posterId, assigneeId], ['receipt_issued', 'Commerce receipt', `The receipt of the job "${title}" is there.`], { jobId }),
  ),
]
