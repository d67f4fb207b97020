import { type CommandOutcome, trackOutcome } from './track-outcome.ts'

/** The part of a record that a command puts on chain. Records from before rounds were counted have neither `round` nor `seq`. */
export interface OnChain {
  status: 'pending' | 'confirmed' | 'failed'
  txHash: string | null
  blockNumber: number | null
  error: string | null
  round?: number
  seq?: number
}

/** What became of a transaction. */
export type ObservedEffect =
  | { is: 'submitted'; txHash: string }
  | { is: 'confirmed'; txHash: string; blockNumber: number }
  | { is: 'failed'; txHash: string | null; error: string }
  | { is: 'reorged' }

/** An outcome with what it says about the transaction. */
export type ObservedOutcome = Omit<CommandOutcome, 'is'> & ObservedEffect

/** Of a command that was just sent. */
export const sentOnChain: Required<OnChain> = { status: 'pending', txHash: null, blockNumber: null, error: null, round: 1, seq: 0 }

/** What a record knows on chain after an outcome; undefined when the outcome is stale. @example const onChain = followOutcome(vote.onChain, outcome) */
export const followOutcome = (current: OnChain, outcome: ObservedOutcome): Required<OnChain> | undefined => followEffect(current, outcome, outcome)

/**
 * As `followOutcome`, where the service has read for itself what the command led to: `effect` is recorded, and `outcome` says whether it is news.
 * @example followEffect(hold.onChain, outcome, { is: 'failed', txHash: null, error: 'PAID_OTHERWISE: Another source has paid' })
 */
export function followEffect(current: OnChain, outcome: CommandOutcome, effect: ObservedEffect): Required<OnChain> | undefined {
  const { round = 1, seq = 0, status, txHash } = current
  if (trackOutcome({ round, seq, status }, outcome) === 'stale') return undefined
  const at = { round: Math.max(round, outcome.round), seq: outcome.seq, blockNumber: null, error: null }
  switch (effect.is) {
    case 'submitted':
      return { ...at, status: 'pending', txHash: effect.txHash }
    case 'confirmed':
      return { ...at, status: 'confirmed', txHash: effect.txHash, blockNumber: effect.blockNumber }
    case 'failed':
      return { ...at, status: 'failed', txHash: effect.txHash, error: effect.error }
    case 'reorged':
      return { ...at, status: 'pending', txHash }
  }
}
