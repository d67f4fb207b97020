import { createHash } from 'node:crypto'
import { type Chain, type TrustReceipt, usd } from '@carapace/api'
import { txUrl } from '@carapace/chain'
import type { Escrow } from '../escrow/escrow.ts'
import { standing } from '../escrow/judge.ts'
import { receiptVerdict } from '../escrow/settled.ts'

export type Party = { handle: string | null; wallet: string | null; fusedScore: number }
/** What a settled gig was. Amounts in micro-USDC. */
export interface Receipt {
  id: string
  gigId: string
  gigTitle: string
  posterId: string
  assigneeId: string
  /** Both of them, kept by the store for look-ups. */
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
  validationConsensus: number
  validatorCount: number
  validationId: string | null
  deliverableUrl: string | null
  verdict: 'APPROVED' | 'ORACLE' | 'DEFAULT'
  contentHash: string
  /** The payment is undone: nobody is shown the receipt any more, unless the payment is made again. */
  isWithdrawn: boolean
}

/** The receipt of a released escrow. */
export function receiptOf(escrow: Escrow, id: string, { poster, assignee }: { poster: Party; assignee: Party }): Receipt {
  const settlement = escrow.settlement!
  const { approvalPct, votes, validationId } = standing(escrow)
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
    txHash: settlement.txHash!,
    blockNumber: settlement.blockNumber!,
    validationConsensus: approvalPct ?? 100,
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

/** @param baseUrl where the world sees the gateway */
export function receiptView(receipt: Receipt, baseUrl: string): TrustReceipt {
  const { budget, platformFee, netPaid, settledAt, isWithdrawn, ...rest } = receipt
  return {
    ...rest,
    budget: usd(budget),
    platformFee: usd(platformFee),
    netPaid: usd(netPaid),
    currency: 'USDC',
    settledAt: settledAt.toISOString(),
    basescanUrl: txUrl(receipt.chain, receipt.txHash),
    onChainVerifiable: true,
    shareUrl: `${baseUrl}/trust-receipt/${receipt.id}`,
  }
}
