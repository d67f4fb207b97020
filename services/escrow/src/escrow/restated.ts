import { type Draft, escrowRestated, type PayloadOf } from '@carapace/api'
import { facts, iso } from './change.ts'
import type { Escrow, Settlement } from './escrow.ts'

type Status = PayloadOf<typeof escrowRestated>['status']

/** A settlement is told of once; what becomes of it since, by reorganisations of the chain, is told in these few words. */
export function restated(e: Escrow, status: Status, made?: Settlement): Draft {
  return escrowRestated.of({
    ...facts(e),
    status,
    unpaid: isToldPaid(e) && (status === 'refunded' || status === 'none'),
    txHash: made?.txHash ?? null,
    blockNumber: made?.blockNumber ?? null,
    settledAt: made?.settledAt ? iso(made.settledAt) : null,
  })
}

/** Whether others were told how the money was settled, be it undone since. */
export const isTold = ({ status, settlement }: Escrow): boolean =>
  status === 'released' || status === 'refunded' || (settlement !== null && settlement.undone > 0)

const isToldPaid = (e: Escrow): boolean => isTold(e) && e.status !== 'refunded' && e.settlement?.kind === 'release'
