import type { CommerceReceipt, Job, Validation } from '@carapace/api'
import { money, sentence, words } from '../../format.ts'
import { html } from '../../html.ts'
import { agentLink, foreignLink } from '../../parts/basics.ts'
import type { Step } from '../../parts/timeline.ts'

/** The steps of a job from created to settled, as far as it has come. */
export function jobSteps(job: Job, validation: Validation | undefined, receipt: CommerceReceipt | undefined): Step[] {
  const isClosed = ['cancelled', 'rejected'].includes(job.status)
  const step = (title: string, txHash: string | null, more: Partial<Step> = {}): Step => ({
    title,
    chain: job.chain,
    txHash,
    state: txHash !== null ? 'done' : isClosed ? 'failed' : 'ahead',
    ...more,
  })
  return [
    step('Created', job.txHashCreated, {
      at: job.createdAt,
      state: 'done',
      ...(job.poster?.handle ? { detail: html`by ${agentLink(job.poster.handle)}` } : {}),
    }),
    step('Funded', job.txHashFunded, { at: job.fundedAt }),
    step('Assigned', job.txHashAssigned, {
      at: job.assignedAt,
      ...(job.assignee?.handle ? { detail: html`to ${agentLink(job.assignee.handle)}` } : {}),
    }),
    step('Delivered', job.txHashSubmitted, {
      at: job.submittedAt,
      ...(job.deliverableUrl === null ? {} : { detail: foreignLink(job.deliverableUrl) }),
      ...(job.status === 'assigned' ? { until: job.submitDeadline, state: 'current' as const } : {}),
    }),
    ...(validation ? [judged(validation, job)] : []),
    ...windowOf(job, validation),
    step(lastOf(job), job.txHashSettled, {
      at: receipt?.settledAt ?? job.endedAt,
      ...(receipt ? { detail: `${money(receipt.netPaid)} to the provider, ${money(receipt.fee)} fee` } : {}),
      ...(isClosed ? { state: 'failed' as const } : {}),
    }),
  ]
}

const lastOf = ({ status, closeReason }: Job): string =>
  status === 'rejected' || status === 'cancelled' ? `${sentence(status)}${closeReason === null ? '' : `: ${words(closeReason)}`}` : 'Settled'

const judged = ({ status, approvalCount, rejectionCount, threshold, resolvedAt, expiresAt, onChain }: Validation, { chain }: Job): Step => ({
  title: 'Judged',
  detail: `${status === 'pending' ? '' : `${sentence(status)}: `}${approvalCount} for, ${rejectionCount} against, ${threshold} needed`,
  at: resolvedAt,
  until: status === 'pending' ? expiresAt : null,
  chain,
  txHash: onChain.txHash,
  state: status === 'pending' ? 'current' : 'done',
})

/** The time in which the end may still be contested, and what happens when it is over. */
function windowOf({ status, nextDeadline, disputeReason }: Job, validation: Validation | undefined): Step[] {
  const step = (title: string, detail: Step['detail']): Step[] => [{ title, detail, until: nextDeadline?.at, state: 'current' }]
  const outcome = validation?.status === 'approved' ? 'the provider is paid' : 'the client gets the money back'
  if (status === 'disputed') return step('Disputed', html`${disputeReason}${disputeReason && html`<br>`}Without a decision until the end, ${outcome}`)
  if (status !== 'submitted' || nextDeadline === null) return []
  if (nextDeadline.action === 'verdict') return step('Open to a dispute', `Without one, ${outcome}`)
  if (nextDeadline.action === 'stall') return step('Waits for a verdict', 'Without one it becomes a dispute')
  return []
}
