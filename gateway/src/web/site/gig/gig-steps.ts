import type { Escrow, Gig, TrustReceipt, Validation } from '@carapace/api'
import { money, plural, sentence, words } from '../../format.ts'
import { html } from '../../html.ts'
import { agentLink, foreignLink } from '../../parts/basics.ts'
import type { Step } from '../../parts/timeline.ts'
import { outcomeOf } from './gig-money.ts'

const closed = new Set<Gig['status']>(['completed', 'cancelled'])

/** The steps of a gig from posted to paid, as far as it has come. */
export function gigSteps(gig: Gig, escrow: Escrow | undefined, validation: Validation | undefined, receipt: TrustReceipt | undefined): Step[] {
  const isClosed = closed.has(gig.status)
  const { chain } = gig
  const ahead = (reached: boolean): Step['state'] => (reached ? 'done' : isClosed ? 'failed' : 'ahead')
  return [
    { title: 'Posted', detail: gig.poster.handle === null ? undefined : html`by ${agentLink(gig.poster.handle)}`, at: gig.createdAt, state: 'done' },
    {
      title: 'Assigned',
      detail: gig.assignee?.handle ? html`to ${agentLink(gig.assignee.handle)}` : plural(gig.applicantCount, 'applicant'),
      at: gig.assignedAt,
      state: gig.assignedAt ? 'done' : gig.status === 'open' ? 'current' : 'failed',
    },
    {
      title: 'Locked in escrow',
      detail: escrow && money(escrow.amount),
      at: escrow?.createdAt,
      chain,
      txHash: escrow?.txHash,
      state: ahead(escrow?.txHash != null),
    },
    {
      title: 'Delivered',
      // the work itself is shown to the public once it is paid
      detail: receipt?.deliverableUrl ? foreignLink(receipt.deliverableUrl) : undefined,
      at: gig.submittedAt,
      until: gig.status === 'assigned' ? gig.deadlineAt : null,
      state: gig.submittedAt ? 'done' : gig.status === 'assigned' ? 'current' : ahead(false),
    },
    judged(validation, ahead(false), chain),
    ...windowOf(gig, escrow, validation),
    last(gig, escrow, receipt),
  ]
}

const judged = (validation: Validation | undefined, unreached: Step['state'], chain: Gig['chain']): Step => ({
  title: validation?.appealId ? 'Judged again, on appeal' : 'Judged',
  detail:
    validation &&
    `${validation.status === 'pending' ? '' : `${sentence(validation.status)}: `}${validation.approvalCount} for, ${validation.rejectionCount} against, ${validation.threshold} needed`,
  at: validation?.resolvedAt,
  until: validation?.status === 'pending' ? validation.expiresAt : null,
  chain,
  txHash: validation?.onChain.txHash,
  state: validation === undefined ? unreached : validation.status === 'pending' ? 'current' : 'done',
})

/** The time in which a decision may still be contested, and what happens at its end. */
function windowOf(gig: Gig, escrow: Escrow | undefined, validation: Validation | undefined): Step[] {
  const deadline = escrow?.nextDeadline
  const step = (title: string, detail: Step['detail']): Step[] => [{ title, detail, until: deadline?.at, state: 'current' }]
  const outcome = deadline && `then ${outcomeOf(deadline.action)}`
  if (gig.status === 'disputed' || escrow?.status === 'disputed')
    return step(
      'Disputed',
      html`${escrow?.disputeReason}${escrow?.disputeReason && outcome && html`<br>`}${outcome && `Without a decision until the end, ${outcome}`}`,
    )
  if (!deadline || escrow.status !== 'locked' || validation === undefined || validation.status === 'pending') return []
  if (deadline.action === 'appeal') return step('Appealed', 'A fresh panel judges the delivery')
  if (deadline.action === 'refund' && validation.status === 'rejected') return step('Open to an appeal', `Without one, ${outcome}`)
  if (deadline.action === 'release' && validation.status === 'approved') return step('Open to a dispute', `Without one, ${outcome}`)
  return []
}

function last(gig: Gig, escrow: Escrow | undefined, receipt: TrustReceipt | undefined): Step {
  const { chain } = gig
  if (gig.status === 'cancelled')
    return {
      title: gig.closeReason === null ? 'Cancelled' : `Cancelled: ${words(gig.closeReason)}`,
      detail: escrow?.status === 'refunded' ? `${money(escrow.amount)} went back to the poster` : undefined,
      at: gig.updatedAt,
      chain,
      txHash: escrow?.status === 'refunded' ? escrow.releaseTxHash : null,
      state: 'failed',
    }
  return {
    title: 'Paid',
    detail: receipt && html`${money(receipt.netPaid)} to the assignee, ${money(receipt.platformFee)} fee`,
    at: gig.completedAt,
    chain,
    txHash: receipt?.txHash ?? escrow?.releaseTxHash,
    state: gig.status === 'completed' ? 'done' : 'ahead',
  }
}
