import { createHash } from 'node:crypto'
import { type Chain, type TrustReceipt, usd } from '@carapace/api'
import type { Explorer } from '@carapace/chain'
import type { Escrow } from '../escrow/escrow.ts'
import { effectiveVerdict } from '../escrow/judgement.ts'
import { receiptVerdict } from '../escrow/settlement/transitions.ts'

export type Party = { handle: string | null; wallet: string | null; fusedScore: number }
/** What a settled gig was. Amounts in micro-USDC. */
export interface Receipt {
  id: string
  gigId: string
  gigTitle: string
  posterId: string
  assigneeId: string
  /** Both of them, stored for queries. */
  partyIds?: string[]
  poster: Party
  assignee: Party
  budget: bigint
  platformFee: bigint
  netPaid: bigint
  chain: Chain
  settledAt: Date
  txHash: string
  blockNumber: number
  /** Percent of the votes for approval; 0 where nobody voted. */
  validationConsensus: number
  validatorCount: number
  validationId: string | null
  deliverableUrl: string | null
  verdict: 'APPROVED' | 'ORACLE' | 'DEFAULT'
  contentHash: string
  /** The payment is reversed: nobody is shown the receipt any more, unless the payment is made again. */
  isWithdrawn: boolean
}

/** The receipt of a released escrow. */
export function receiptOf(escrow: Escrow, id: string, { poster, assignee }: { poster: Party; assignee: Party }): Receipt {
  const settlement = escrow.settlement!
  const { approvalPct, votes, validationId } = effectiveVerdict(escrow)
  const facts = {
    id,
    gigId: escrow.id,
    gigTitle: escrow.gigTitle,
    posterId: escrow.posterId,
    assigneeId: escrow.assignment!.assigneeId,
    poster,
    assignee,
    budget: escrow.amount,
    platformFee: settlement.fee,
    netPaid: settlement.treasury + settlement.external,
    chain: escrow.chain,
    settledAt: settlement.settledAt!,
    txHash: settlement.onChain.txHash!,
    blockNumber: settlement.onChain.blockNumber!,
    validationConsensus: (votes > 0 ? approvalPct : null) ?? 0,
    validatorCount: votes,
    validationId,
    deliverableUrl: escrow.delivery?.url ?? null,
    verdict: receiptVerdict(settlement),
  }
  return { ...facts, contentHash: contentHash(facts), isWithdrawn: false }
}

/** SHA-256 of the JSON with sorted keys, amounts as decimal text of micro-USDC, times as ISO 8601. */
export function contentHash(facts: Omit<Receipt, 'contentHash' | 'isWithdrawn'>): string {
  return `0x${createHash('sha256').update(canonical(facts)).digest('hex')}`
}

function canonical(value: unknown): string {
  if (typeof value === 'bigint') return JSON.stringify(String(value))
  if (value instanceof Date || value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`
}

/** @param baseUrl the public address of the gateway */
export function receiptView(receipt: Receipt, baseUrl: string, explorer: Explorer): TrustReceipt {
  const { budget, platformFee, netPaid, settledAt, isWithdrawn, ...rest } = receipt
  return {
    ...rest,
    budget: usd(budget),
    platformFee: usd(platformFee),
    netPaid: usd(netPaid),
    currency: 'USDC',
    settledAt: settledAt.toISOString(),
    basescanUrl: explorer.tx(receipt.chain, receipt.txHash),
    onChainVerifiable: true,
    shareUrl: `${baseUrl}/trust-receipt/${receipt.id}`,
  }
}
