import { type Draft, escrowRestated, type PayloadOf } from '@carapace/api'
import type { Escrow, Settlement } from './escrow.ts'
import { facts, iso } from './transition.ts'

type Status = PayloadOf<typeof escrowRestated>['status']

/** A settlement is published once; what reorganisations of the chain change about it since is published as a correction. */
export function settlementCorrected(e: Escrow, status: Status, made?: Settlement): Draft {
  return escrowRestated.of({
    ...facts(e),
    status,
    unpaid: isPaymentPublished(e) && (status === 'refunded' || status === 'none'),
    txHash: made?.onChain.txHash ?? null,
    blockNumber: made?.onChain.blockNumber ?? null,
    settledAt: made?.settledAt ? iso(made.settledAt) : null,
  })
}

/** Whether it was published how the money was settled, also where that is reversed since. */
export const isSettlementPublished = ({ status, settlement }: Escrow): boolean =>
  status === 'released' || status === 'refunded' || (settlement !== null && settlement.undone > 0)

const isPaymentPublished = (e: Escrow): boolean => isSettlementPublished(e) && e.status !== 'refunded' && e.settlement?.kind === 'release'
