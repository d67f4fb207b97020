import type { Escrow, Gig, TrustReceipt, Validation } from '@carapace/api'
import { money, plural, words } from '../format.ts'
import { agentLink } from '../parts/basics.ts'
import type { Step } from '../parts/timeline.ts'

const closed = new Set<Gig['status']>(['completed', 'cancelled'])

/** The steps of a gig from posted to paid, as far as it has come. */
export function gigSteps(gig: Gig, escrow: Escrow | undefined, validation: Validation | undefined, receipt: TrustReceipt | undefined): Step[] {
  const isClosed = closed.has(gig.status)
  const { chain } = gig
  const ahead = (reached: boolean): Step['state'] => (reached ? 'done' : isClosed ? 'failed' : 'ahead')
  const steps: Step[] = [
    { title: 'Posted', detail: gig.poster.handle === null ? undefined : agentLink(gig.poster.handle), at: gig.createdAt, state: 'done' },
    {
      title: 'Assigned',
      detail: gig.assignee?.handle ? agentLink(gig.assignee.handle) : plural(gig.applicantCount, 'applicant'),
      at: gig.assignedAt,
      state: gig.assignedAt ? 'done' : gig.status === 'open' ? 'current' : 'failed',
    },
    {
      title: 'Locked in escrow',
      detail: escrow && `${money(escrow.amount)}, ${words(escrow.status)}`,
      at: escrow?.createdAt,
      chain,
      txHash: escrow?.txHash,
      state: ahead(escrow?.txHash != null),
    },
    {
      title: 'Delivered',
      at: gig.submittedAt,
      until: gig.status === 'assigned' ? gig.deadlineAt : null,
      state: gig.submittedAt ? 'done' : gig.status === 'assigned' ? 'current' : ahead(false),
    },
    {
      title: 'Judged',
      detail: validation && `${validation.approvalCount} for, ${validation.rejectionCount} against, ${validation.threshold} needed`,
      at: validation?.resolvedAt,
      until: validation?.status === 'pending' ? validation.expiresAt : null,
      chain,
      txHash: validation?.onChain.txHash,
      state: validation === undefined ? ahead(false) : validation.status === 'pending' ? 'current' : 'done',
    },
  ]
  if (gig.status === 'disputed' || escrow?.status === 'disputed')
    steps.push({ title: 'Disputed', detail: escrow?.disputeReason ?? undefined, until: escrow?.nextDeadline?.at, state: 'current' })
  if (gig.status === 'cancelled')
    steps.push({
      title: sayingOf(gig),
      at: gig.updatedAt,
      chain,
      txHash: escrow?.status === 'refunded' ? escrow.releaseTxHash : null,
      state: 'failed',
    })
  else
    steps.push({
      title: 'Paid',
      detail: receipt && money(receipt.netPaid),
      at: gig.completedAt,
      chain,
      txHash: receipt?.txHash,
      state: gig.status === 'completed' ? 'done' : 'ahead',
    })
  return steps
}

const sayingOf = ({ closeReason }: Gig): string => (closeReason === null ? 'Cancelled' : `Cancelled: ${words(closeReason)}`)
