import type { FeeProfile } from '@carapace/chain'
import type { Attempt, Fee } from '../../lane/records.ts'

/** Fee of a new transaction, from the profile and the base fee of the latest block (wei). */
export function feeFor(profile: FeeProfile, baseFee: bigint): Fee {
  if (profile.type === 'free') return { type: 0, gasPrice: 0n }
  return capped(profile, (BigInt(Math.round(profile.headroom * 100)) * baseFee) / 100n + profile.tipWei, profile.tipWei)
}

/**
 * Fee of a further attempt in the same slot: a quarter above the last one, at least what a new one would pay, at most the cap.
 * @returns undefined when the fee cannot rise: only sending again is left
 */
export function bumpedFee(profile: FeeProfile, last: Attempt['fee'], baseFee: bigint): Fee | undefined {
  if (profile.type === 'free' || 'gasPrice' in last) return undefined
  const fresh = feeFor(profile, baseFee)
  if (fresh.type !== 2) return undefined
  const raise = (wei: string) => (BigInt(wei) * 5n) / 4n + 1n
  const bumped = capped(profile, max(raise(last.maxFeePerGas), fresh.maxFeePerGas), max(raise(last.maxPriorityFeePerGas), fresh.maxPriorityFeePerGas))
  // Pools require 10 % more in both fields.
  return bumped.maxFeePerGas * 10n >= BigInt(last.maxFeePerGas) * 11n ? bumped : undefined
}

/** Whether a block of this base fee (wei) has room for it. */
export const isEnough = (fee: Attempt['fee'], baseFee: bigint): boolean => 'gasPrice' in fee || BigInt(fee.maxFeePerGas) >= baseFee

/** The stored form of a fee. */
export const feeRecord = (fee: Fee): Attempt['fee'] =>
  fee.type === 0
    ? { gasPrice: String(fee.gasPrice) }
    : { maxFeePerGas: String(fee.maxFeePerGas), maxPriorityFeePerGas: String(fee.maxPriorityFeePerGas) }

function capped(profile: { capWei: bigint }, maxFee: bigint, tip: bigint) {
  const maxFeePerGas = maxFee < profile.capWei ? maxFee : profile.capWei
  return { type: 2 as const, maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas }
}
const max = (a: bigint, b: bigint) => (a > b ? a : b)
