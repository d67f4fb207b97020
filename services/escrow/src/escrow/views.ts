import { type EscrowRow, type Escrow as EscrowView, usd } from '@carapace/api'
import { contractField, type NetworkReader } from '@carapace/chain'
import { pollDeadline } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { shownContractOf } from './bound-contract.ts'
import type { Escrow, Settlement } from './escrow.ts'
import { passingStates } from './escrow-states.ts'
import { effectiveVerdict } from './judgement.ts'

const netOf = ({ treasury, external }: Settlement): bigint => treasury + external
const splitOf = ({ treasury, external }: Settlement) => ({ treasury: usd(treasury), external: usd(external) })

/** @param now platform clock */
export function escrowView(escrow: Stored<Escrow>, networks: NetworkReader, now: Date): EscrowView {
  const { lock, settlement, assignment } = escrow
  const paid = settlement?.kind === 'release' && !settlement.payoutLost ? settlement : null
  return {
    id: escrow.escrowId,
    gigId: escrow.id,
    posterId: escrow.posterId,
    payeeId: assignment?.assigneeId ?? null,
    status: escrow.status === 'none' ? 'funding' : escrow.status,
    amount: usd(escrow.amount),
    currency: 'USDC',
    chain: escrow.chain,
    depositAddress: shownContractOf(networks, escrow),
    fundedFrom: lock ? { kind: lock.kind, address: lock.from } : null,
    feeBp: assignment?.feeBp ?? null,
    fee: paid ? usd(paid.fee) : null,
    net: paid ? usd(netOf(paid)) : null,
    split: paid ? splitOf(paid) : null,
    disputeReason: escrow.disputeReason,
    disputedBy: escrow.disputedAt ? (escrow.dispute?.agentId ?? null) : null,
    resolvedBy: escrow.order?.wallet ?? null,
    nextDeadline: deadlineOf(escrow, now),
    txHash: lock?.onChain.txHash ?? null,
    releaseTxHash: settlement?.onChain.txHash ?? null,
    createdAt: escrow.createdAt.toISOString(),
    updatedAt: escrow.updatedAt.toISOString(),
    version: escrow.version,
    onChain: onChainOf(escrow),
  }
}

/** What happens next by time alone: a timer, or where the chain has to answer the next question what became of the command. */
function deadlineOf({ status, dueAt, dueAction, updatedAt }: Stored<Escrow>, now: Date): EscrowView['nextDeadline'] {
  if (dueAt) return { at: dueAt.toISOString(), action: dueAction ?? 'retry' }
  return status in passingStates ? pollDeadline(updatedAt, now) : null
}

function onChainOf({ status, chain, lock, settlement }: Escrow): EscrowView['onChain'] {
  const at = settlement?.onChain ?? lock?.onChain
  const stage =
    status === 'none' || status === 'unfunded'
      ? 'none'
      : settlement?.onChain.error && settlement.retryAt
        ? 'failed'
        : status === 'funding' || status === 'releasing' || status === 'refunding'
          ? 'pending'
          : 'confirmed'
  return { status: stage, chain, txHash: at?.txHash ?? null, blockNumber: at?.blockNumber ?? null, error: settlement?.onChain.error ?? null }
}

export function releaseView({ escrowId, id, status, assignment, settlement }: Stored<Escrow>) {
  const { fee, onChain } = settlement!
  return {
    status: status as EscrowView['status'],
    escrowId,
    gigId: id,
    txHash: onChain.txHash,
    fee: { effectiveFee: assignment!.feeBp / 100, feeAmount: usd(fee) },
    netPayout: usd(netOf(settlement!)),
    split: splitOf(settlement!),
  }
}

/** What was decided last, as it was published; nothing where nothing was decided. */
export const decisionRows = (escrow: Escrow) => {
  const { id: gigId, decision } = escrow
  return decision ? [{ gigId, outcome: decision.outcome, reason: decision.reason, verdict: effectiveVerdict(escrow).verdict }] : []
}

export const escrowRow = ({
  escrowId,
  id,
  status,
  posterId,
  assignment,
  amount,
  chain,
  contract,
  lock,
  settlement,
  version,
}: Stored<Escrow>): EscrowRow => ({
  escrowId,
  gigId: id,
  status: status === 'none' ? 'unfunded' : status,
  posterId,
  assigneeId: assignment?.assigneeId ?? null,
  amount: String(amount),
  chain,
  ...contractField(contract),
  txHash: lock?.onChain.txHash ?? null,
  releaseTxHash: settlement?.onChain.txHash ?? null,
  settledAt: (status === 'released' && settlement?.settledAt?.toISOString()) || null,
  version,
})
