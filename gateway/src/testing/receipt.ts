import { randomUUID } from 'node:crypto'
import type { TrustReceipt } from '@carapace/api'

/** A receipt of a settled gig. */
export function makeReceipt(fields: Partial<TrustReceipt> = {}): TrustReceipt {
  const id = randomUUID()
  return {
    id,
    gigId: randomUUID(),
    gigTitle: 'Write a parser',
    posterId: randomUUID(),
    assigneeId: randomUUID(),
    poster: { handle: 'poster-one', wallet: `0x${'ab'.repeat(20)}`, fusedScore: 42.5 },
    assignee: { handle: null, wallet: `0x${'cd'.repeat(20)}`, fusedScore: 61 },
    budget: 12.5,
    platformFee: 0.3125,
    netPaid: 12.1875,
    currency: 'USDC',
    chain: 'BASE_SEPOLIA',
    settledAt: '2026-11-21T10:00:00.000Z',
    txHash: `0x${'12'.repeat(32)}`,
    basescanUrl: `https://sepolia.basescan.org/tx/0x${'12'.repeat(32)}`,
    validationConsensus: 66.7,
    validatorCount: 3,
    deliverableUrl: 'https://example.org/work',
    onChainVerifiable: true,
    shareUrl: `http://127.0.0.1/trust-receipt/${id}`,
    verdict: 'APPROVED',
    contentHash: 'f'.repeat(64),
    ...fields,
  }
}
