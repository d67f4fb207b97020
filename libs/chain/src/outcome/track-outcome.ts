/** What a record knows of its command on chain. */
export interface CommandState {
  /** Of the command that was sent last, from 1; 0 = none was sent. */
  round: number
  /** Of the last outcome that was followed; 0 = none. It is preserved when the command is sent again: the relayer counts on over the rounds of a key. */
  seq: number
  /** reorged counts as pending: the same transaction is sent again. */
  status: 'none' | 'pending' | 'confirmed' | 'failed'
}

/** One outcome of a command, as the relayer publishes it. */
export interface CommandOutcome {
  is: 'submitted' | 'confirmed' | 'finalized' | 'failed' | 'reorged'
  round: number
  seq: number
  /** Of a failure: whether it ends the round. One that does not speaks of a refused command, not of the key. */
  terminal?: boolean
}

export type TrackedOutcome = 'submitted' | 'confirmed' | 'reincluded' | 'finalized' | 'failed' | 'reorged' | 'stale'

/**
 * What an outcome means for a record. Everything but `stale` is followed: the record stores `seq`, the higher `round`, and what the word says.
 * - `submitted`: a transaction with this hash is under way; what was confirmed before is not any more
 * - `confirmed`: the effect is in a block
 * - `reincluded`: the effect, known as confirmed, is now in the block and transaction that this outcome names, which may be the same ones
 * - `finalized`: the block of the effect is final; it is the confirmation, too, when that was never received
 * - `failed`: this round has no effect and never will, also where one was confirmed before
 * - `reorged`: the block of the effect is dropped; pending again
 * - `stale`: repeated, or older than what is known, or about an earlier round: nothing changes
 *
 * An effect of an earlier round counts when it is newer, because the contract has it; a failure of an earlier round says nothing about the present one.
 * A submission may share its number with the outcome that follows it (the relayer numbers again after a crash), so that outcome counts at the same
 * number while the record is pending.
 */
export function trackOutcome(current: CommandState, outcome: CommandOutcome): TrackedOutcome {
  const { is, round, seq, terminal = true } = outcome
  const hasEffect = is === 'confirmed' || is === 'finalized'
  if (is === 'failed' && !terminal) return 'stale'
  if (round < current.round && !hasEffect) return 'stale'
  const endsSubmission = seq === current.seq && current.status === 'pending' && (hasEffect || is === 'failed')
  if (seq <= current.seq && !endsSubmission) return 'stale'
  return is === 'confirmed' && current.status === 'confirmed' ? 'reincluded' : is
}
