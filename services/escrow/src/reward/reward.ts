import { type Chain, refuse, rewardFunded, usd } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { least, sum } from '../amounts.ts'

/** What one winner has earned of a validation; micro-USDC. claiming + claimed ≤ funded ≤ accrued. */
export interface Share {
  validatorId: string
  accrued: bigint
  funded: bigint
  claiming: bigint
  claimed: bigint
}

/** What a claim has of one reward, micro-USDC. */
export interface Held {
  claiming: bigint
  claimed: bigint
}

/** The rewards of one validation. */
export interface Reward {
  /** The validation's id. */
  id: string
  gigId: string | null
  jobId: string | null
  title: string
  posterId: string
  chain: Chain
  shares: Share[]
  /** The one automatic funding has been made, even if it gave nothing. */
  isFunded: boolean
  /** Of that funding and of all top-ups. */
  fundedBy: { fee: bigint; refund: bigint; topUp: bigint }
  fundedAt: Date | null
  topUps: string[]
  /** The swarm has not confirmed the last of them. */
  isTopUpOpen?: true
}

/** How a gig or job ended for the money: what its rewards can be funded from. Amounts in micro-USDC. */
export interface Source {
  /** Of the gig or job. */
  id: string
  posterId: string
  chain: Chain
  kind: 'fee' | 'refund'
  /** The fee paid, or what a refunded one would have paid. */
  fee: bigint
  /** Funded so far. */
  used: bigint
  endedAt: Date
  /** The validation by which it ended, where an earlier one of the gig was decided otherwise, or may have been: its winners are funded before those of others. */
  first?: string | null
}

const restOf = ({ accrued, funded }: Share): bigint => accrued - funded
export const unfunded = ({ shares }: Reward): bigint => sum(shares.map(restOf))

/** Each winner gets min(band, available / winners), rounded down to the micro (behaviour 5.4). */
export function equalShares(reward: Reward, available: bigint): bigint[] {
  const each = reward.shares.length === 0 || available <= 0n ? 0n : available / BigInt(reward.shares.length)
  return reward.shares.map(share => least(restOf(share), each))
}

/** Equal parts of a top-up; what one winner does not need goes to the next. */
export function topUpShares(reward: Reward, amount: bigint): bigint[] {
  const parts = equalShares(reward, amount)
  let left = amount - sum(parts)
  return parts.map((part, index) => {
    const more = least(restOf(reward.shares[index]!) - part, left)
    left -= more
    return part + more
  })
}

/** Books funded amounts, one for each winner in order. */
export function fund(reward: Reward, amounts: readonly bigint[], by: 'fee' | 'refund' | 'top_up', now: Date, operationId?: string): Decision<Reward> {
  const shares = reward.shares.map((share, index) => ({ ...share, funded: share.funded + amounts[index]! }))
  const total = sum(amounts)
  const key = by === 'top_up' ? 'topUp' : by
  const state: Reward = {
    ...reward,
    shares,
    isFunded: reward.isFunded || by !== 'top_up',
    fundedBy: { ...reward.fundedBy, [key]: reward.fundedBy[key] + total },
    fundedAt: total > 0n ? now : reward.fundedAt,
    ...(operationId ? { topUps: [...reward.topUps, operationId], isTopUpOpen: true as const } : {}),
  }
  const { id: validationId, gigId, jobId, title, chain } = reward
  const rewards = shares.flatMap(({ validatorId, funded }, index) => (amounts[index]! > 0n ? [{ validatorId, amount: amounts[index]!, funded }] : []))
  return { state, events: rewards.length ? [rewardFunded.of({ validationId, gigId, jobId, title, chain, source: by, rewards })] : [] }
}

/** The swarm knows of so many top-ups. */
export function closeTopUp(reward: Reward, topUps: number): Decision<Reward> | undefined {
  const { isTopUpOpen, ...closed } = reward
  return isTopUpOpen && reward.topUps.length === topUps ? { state: closed, events: [] } : undefined
}

/** What of its funded part a winner has not claimed. */
export const claimableOf = ({ shares }: Reward, validatorId: string): bigint =>
  sum(shares.filter(share => share.validatorId === validatorId).map(({ funded, claiming, claimed }) => funded - claiming - claimed))

/** Changes what one winner's claims have of the funded part. @throws INVALID_STATE when less is funded and free */
export function claim(reward: Reward, validatorId: string, change: Held): Decision<Reward> {
  const shares = reward.shares.map(share => {
    if (share.validatorId !== validatorId) return share
    const after = { ...share, claiming: share.claiming + change.claiming, claimed: share.claimed + change.claimed }
    if (after.claiming + after.claimed > after.funded) refuse('INVALID_STATE', { claimable: usd(share.funded - share.claiming - share.claimed) })
    return after
  })
  return { state: { ...reward, shares }, events: [] }
}
