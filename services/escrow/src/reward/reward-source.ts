import { feeOf } from '@carapace/api'
import type { Escrow } from '../escrow/escrow.ts'
import type { Source } from './reward.ts'

/**
 * What the rewards of a gig can be funded from, by the way in which its money ended; undefined while it has not. A fee that is reversed and waits to be
 * paid again remains what it was. Once it is lost, also by a payment without one, what was funded from it counts as funded after a refund.
 */
export function sourceOf({ id, posterId, chain, status, amount, assignment, settlement, appeal }: Escrow): Omit<Source, 'used'> | undefined {
  if (!settlement?.settledAt) return undefined
  const isByAppeal = settlement.by === 'swarm' && (appeal?.outcome === 'won' || appeal?.outcome === 'lost')
  const gig = { id, posterId, chain, endedAt: settlement.settledAt, first: isByAppeal ? appeal.appealId : null }
  if (status === 'released') return { ...gig, kind: settlement.fee > 0n ? 'fee' : 'refund', fee: settlement.fee }
  if (status === 'refunded') return { ...gig, kind: 'refund', fee: feeOf(amount, assignment?.feeBp ?? 0) }
  return status === 'unfunded' ? { ...gig, kind: 'refund', fee: 0n } : undefined
}
