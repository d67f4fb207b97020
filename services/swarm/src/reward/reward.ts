import { type Chain, type Draft, dayMs, type PassingStates, refuse, retryableIn, rewardClaimRequested } from '@carapace/api'
import type { Decision } from '@carapace/store'
import type { ClaimState } from './claim-states.ts'

/** What one validator earned with one validation; all amounts micro-USDC. */
export interface Reward {
  /** `<validation>.<validator>` */
  id: string
  validationId: string
  validatorId: string
  gigId: string | null
  gigTitle: string
  chain: Chain
  accrued: bigint
  /** Paid for by fees or a top-up; can be claimed. */
  funded: bigint
  /** Under way to the validator's wallet. */
  claiming: bigint
  claimed: bigint
  claimId: string | null
  accruedAt: Date
  fundedAt: Date | null
  /**
   * When it is paid without a call, while it can be claimed; 'never' where nothing is left of what was funded. Absent before it is funded, while a claim is
   * under way, and in rows from before it was stored.
   */
  payAt?: Date | 'never'
  /** The escrow has made its one funding, or its gig ended without money: only an operator adds to it. */
  isFundingOver?: true
}

export const rewardId = (validationId: string, validatorId: string) => `${validationId}.${validatorId}`

export type RewardState = 'accrued' | 'funded' | 'claiming' | 'claimed'

/** Speaks of the funded part. */
export function stateOf({ funded, claiming, claimed }: Reward): RewardState {
  if (claiming > 0n) return 'claiming'
  if (funded > claimed) return 'funded'
  return claimed > 0n ? 'claimed' : 'accrued'
}

/** Rewards are funded when the payout of their escrow is confirmed; a claim that fails on chain leaves them funded. */
export const passingRewards: PassingStates = { accrued: ['funded'], claiming: ['funded'] }

export const claimable = ({ funded, claiming, claimed }: Reward): bigint => funded - claiming - claimed

/** What nobody claims for so long is paid by time. */
const payAfterMs = 30 * dayMs

/** With the time of its payment, which follows from the other fields. */
export function withPayAt(reward: Reward): Reward {
  const { payAt: before, ...rest } = reward
  const payAt = payAtOf(reward)
  return payAt === undefined ? rest : { ...rest, payAt }
}

function payAtOf({ payAt, ...reward }: Reward): Reward['payAt'] {
  const { fundedAt, claiming } = reward
  if (fundedAt === null || claiming > 0n) return undefined
  if (claimable(reward) <= 0n) return 'never'
  return payAt instanceof Date ? payAt : new Date(fundedAt.getTime() + payAfterMs)
}

/** For a row from before it was stored. */
export const setPayAt = (reward: Reward): Decision<Reward> | undefined => {
  const state = withPayAt(reward)
  return state.payAt === reward.payAt ? undefined : { state, events: [] }
}

/** Its payment by time could not be made now. */
export const putOff = (reward: Reward, until: Date): Decision<Reward> | undefined =>
  withPayAt(reward).payAt instanceof Date ? { state: { ...reward, payAt: until }, events: [] } : setPayAt(reward)

/** `funded` is the sum so far, so that a repeated or late event never funds twice. */
export function fund(reward: Reward, funded: bigint, now: Date): Decision<Reward> | undefined {
  if (funded <= reward.funded) return undefined
  return { state: { ...reward, funded, fundedAt: reward.fundedAt ?? now }, events: [] }
}

/** The escrow has nothing to fund it from. */
export const endFunding = (reward: Reward): Decision<Reward> => ({ state: { ...reward, isFundingOver: true }, events: [] })

export function startClaim(reward: Reward, claimId: string): Decision<Reward> {
  const amount = claimable(reward)
  const state = stateOf(reward)
  if (amount <= 0n || reward.claiming > 0n) refuse('INVALID_STATE', { state, allowed: ['funded'] }, retryableIn(passingRewards, state, ['funded']))
  return { state: { ...reward, claiming: amount, claimId }, events: [] }
}

/** The claim's end on chain: what was paid of it is claimed, the rest is funded as before. */
export function endClaim(reward: Reward, claimId: string, paid: bigint): Decision<Reward> | undefined {
  if (reward.claimId !== claimId || reward.claiming === 0n) return undefined
  return { state: { ...reward, claiming: 0n, claimed: reward.claimed + paid, claimId: null }, events: [] }
}

/** A reorganisation changed what was paid, by an amount above or below zero: what is not paid is claimable again. */
export const correctPayment = (reward: Reward, change: bigint): Decision<Reward> | undefined =>
  change === 0n ? undefined : { state: { ...reward, claimed: reward.claimed + change }, events: [] }

/** One payment on one network: the escrow pays it from the fee pool. */
export interface Claim {
  id: string
  /** Of the payment's command: from 1, one more after each failure. */
  round: number
  validatorId: string
  wallet: string
  chain: Chain
  amount: bigint
  rewards: { validationId: string; amount: bigint }[]
  by: 'validator' | 'time'
  status: ClaimState
  txHash: string | null
  /** Of the last outcome that was followed, as the escrow counts its changes of the claim; absent before the first. */
  outcomeVersion?: number
  /** The chain changes nothing about its end any more. */
  isFinal?: true
}

export function requestClaim(claim: Claim): { state: Claim; events: Draft[] } {
  const { id, round, validatorId, wallet, chain, amount, rewards, by } = claim
  return { state: claim, events: [rewardClaimRequested.of({ claimId: id, round, validatorId, wallet, chain, amount, rewards, by })] }
}
