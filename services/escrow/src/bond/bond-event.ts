import { type Bond, lockedOf, statusOf, tierOf } from './bond.ts'

/** A row of the history of a bond. */
export interface BondEvent {
  id: string
  agentId: string
  eventType: 'DEPOSIT' | 'WITHDRAW' | 'LOCK' | 'UNLOCK' | 'SLASH' | 'SLASH_REVERSED'
  amount: bigint
  gigId: string | null
  reason: string | null
  txHash: string | null
  operationId: string | null
  /** Set where it is stored: version of the bond with this event. Rows of earlier releases have none. */
  bondVersion?: number
}

/** A command that failed for good without any effect: what its status URL answers. */
export interface BondFailure {
  id: string
  agentId: string
  eventType: BondEvent['eventType']
  amount: bigint
  gigId: string | null
  reason: string | null
  code: string
}

/** What every event about a bond says: the totals after the change. */
export function facts(bond: Bond, event: BondEvent, now: Date) {
  const { id, chain, free, slashed } = bond
  const totalBonded = free + lockedOf(bond)
  return {
    agentId: id,
    bondEventId: event.id,
    amount: event.amount,
    chain,
    totalBonded,
    availableBond: free,
    lockedBond: lockedOf(bond),
    slashedBond: slashed,
    bondTier: tierOf(totalBonded),
    bondStatus: statusOf(totalBonded),
    gigId: event.gigId,
    txHash: event.txHash,
    changedAt: now.toISOString(),
  }
}
