import type { Escrow, Settlement } from '../escrow/escrow.ts'
import { keepInLine } from '../escrow/keep.ts'
import type { Parts } from '../parts.ts'
import type { Earning } from './earning.store.ts'
import { issueReceipt, type Scores } from './issue.ts'

/** Receipt and earning exist while their payment does: a reorganisation of the chain may undo it, and it may be made again. */
export function followPayment(parts: Parts, gigId: string, scores?: Scores): Promise<void> {
  return keepInLine(parts, gigId, async escrow => {
    if (escrow.status === 'released') {
      await parts.earnings.put(earningOf(escrow, escrow.settlement!))
      await issueReceipt(parts, escrow, scores)
    } else {
      await parts.earnings.remove(gigId)
      await parts.receipts.withdraw(gigId)
    }
  })
}

const earningOf = ({ id, gigTitle, assignment, chain }: Escrow, { fee, treasury, external, txHash, settledAt }: Settlement): Earning => ({
  agentId: assignment!.assigneeId,
  gigId: id,
  jobId: null,
  title: gigTitle,
  net: treasury + external,
  fee,
  chain,
  txHash,
  completedAt: settledAt!,
})
