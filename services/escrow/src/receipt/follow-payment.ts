import { projectEscrow } from '../escrow/change-escrow.ts'
import type { Escrow, Settlement } from '../escrow/escrow.ts'
import type { Parts } from '../parts.ts'
import type { GigEarning } from './earning.store.ts'
import { issueReceipt, type Scores } from './issue-receipt.ts'

/** Receipt and earning exist while their payment does: a reorganisation of the chain may reverse it, and it may be made again. */
export function followPayment(parts: Parts, gigId: string, scores?: Scores): Promise<void> {
  return projectEscrow(parts, gigId, async escrow => {
    if (escrow.status === 'released') {
      await parts.earnings.put(earningOf(escrow, escrow.settlement!))
      await issueReceipt(parts, escrow, scores)
    } else {
      await parts.earnings.remove(gigId)
      await parts.receipts.withdraw(gigId)
    }
  })
}

const earningOf = ({ id, gigTitle, assignment, chain }: Escrow, { fee, treasury, external, onChain, settledAt }: Settlement): GigEarning => ({
  agentId: assignment!.assigneeId,
  gigId: id,
  jobId: null,
  title: gigTitle,
  net: treasury + external,
  fee,
  chain,
  txHash: onChain.txHash,
  completedAt: settledAt!,
})
