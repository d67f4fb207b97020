import { type BondRow, type Bond as BondView, usd } from '@carapace/api'
import type { Stored } from '@carapace/store'
import { type Bond, lockedOf, payoutAddress, statusOf, tierOf } from './bond.ts'
import type { BondEvent } from './bond-event.ts'

/** What else than the record a view shows of a bond. */
type Shown = Pick<BondView, 'bondReliability' | 'contract' | 'contractUrl'>

export function bondView(bond: Stored<Bond>, { bondReliability, contract, contractUrl }: Shown, now: Date): BondView {
  const { id, chain, free, slashed, lastSlashAt, locks, version } = bond
  const total = free + lockedOf(bond)
  return {
    agentId: id,
    walletAddress: payoutAddress(bond, now),
    chain,
    totalBonded: usd(total),
    availableBond: usd(free),
    lockedBond: usd(lockedOf(bond)),
    slashedBond: usd(slashed),
    bondTier: tierOf(total),
    bondStatus: statusOf(total),
    bondReliability,
    lastSlashAt: lastSlashAt?.toISOString() ?? null,
    locks: locks.map(({ gigId, amount, at }) => ({ gigId, amount: usd(amount), at: at.toISOString() })),
    contract,
    contractUrl,
    version,
  }
}

export const eventView = ({ id, agentId, eventType, amount, gigId, reason, txHash, createdAt }: BondEvent & { createdAt: Date }) => ({
  id,
  agentId,
  eventType,
  amount: usd(amount),
  gigId,
  reason,
  txHash,
  createdAt: createdAt.toISOString(),
})

export function bondRow(bond: Stored<Bond>): BondRow {
  const { id, chain, free, slashed, locks, version } = bond
  const total = free + lockedOf(bond)
  return {
    agentId: id,
    chain,
    totalBonded: String(total),
    availableBond: String(free),
    lockedBond: String(lockedOf(bond)),
    slashedBond: String(slashed),
    bondTier: tierOf(total),
    bondStatus: statusOf(total),
    locks: locks.map(({ gigId, amount, at, stage }) => ({ gigId, amount: String(amount), at: at.toISOString(), confirmed: stage !== 'locking' })),
    version,
  }
}
