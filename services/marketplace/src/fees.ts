import { type Chain, feeOf, MICRO, type Tier } from '@carapace/api'

/** The platform fee (behaviour 17.6). All rates are basis points: 300 = 3.00 %. */
const baseBp = 300
const floorBp = 50
const skaleBp = 25
const tierBp: Record<Tier, number> = { Hatchling: 0, 'Bronze Pinch': 50, 'Silver Molt': 100, 'Gold Shell': 150 }
/** Discount for a free bond of at least so many USDC, largest first. */
const bondSteps = [
  { atLeast: 500n * MICRO, bp: 40 },
  { atLeast: 100n * MICRO, bp: 25 },
  { atLeast: 10n * MICRO, bp: 15 },
] as const

export interface FeeTerms {
  tier: Tier
  chain: Chain
  /** micro-USDC */
  availableBond: bigint
}

export interface Fee {
  baseBp: number
  effectiveBp: number
  discountsBp: { tier: number; skale: number; bond: number }
}

/** The fee rate of an assignee: base minus discounts, never below 0.50 %. */
export function feeFor({ tier, chain, availableBond }: FeeTerms): Fee {
  const discountsBp = {
    tier: tierBp[tier],
    skale: chain === 'SKALE_TESTNET' ? skaleBp : 0,
    bond: bondSteps.find(step => availableBond >= step.atLeast)?.bp ?? 0,
  }
  const effectiveBp = Math.max(floorBp, baseBp - discountsBp.tier - discountsBp.skale - discountsBp.bond)
  return { baseBp, effectiveBp, discountsBp }
}

/** Fee and rest of a budget, both micro-USDC; they add up to it. */
export function split(budget: bigint, bp: number): { fee: bigint; net: bigint } {
  const fee = feeOf(budget, bp)
  return { fee, net: budget - fee }
}
