import { type Draft, escrowRefunded, escrowReleased } from '@carapace/api'
import { failureText, followOutcome, type OnChain, retryAfter, sentOnChain } from '@carapace/chain'
import type { Place } from '../../chain-log.ts'
import { approveCommand } from '../commands.ts'
import { settlementCorrected } from '../correction.ts'
import { type Escrow, newSettlement, type Settlement } from '../escrow.ts'
import { escrowStates } from '../escrow-states.ts'
import { effectiveVerdict } from '../judgement.ts'
import { decide, facts, fundedFrom, iso, move, type OutcomeId, type Result } from '../transition.ts'

export interface Seen extends Place {
  /** Of the command's outcome; undefined when a final log shows it. */
  seq?: number
  round?: number
  /** Our command found the effect there: its transaction is not the one that had the effect. */
  already?: boolean
}

export interface Released extends Seen {
  /** As the log says; undefined when the confirmation carries none. */
  paid?: { fee: bigint; net: bigint; treasury: bigint; payee: string }
  posterScore: number
  assigneeScore: number
}

export function releaseConfirmed(e: Escrow, seen: Released, now: Date): Result | undefined {
  const { paid, posterScore, assigneeScore } = seen
  const onChain = afterEffect(e.settlement, seen)
  if (!onChain) return undefined
  if (e.status === 'released') return seenAgain(e, onChain, seen)
  if (e.status !== 'releasing') return undefined
  // an earlier payout to somebody else was reversed
  const { paidTo: _, ...current } = e.settlement!
  const parts = paid ? { fee: paid.fee, treasury: paid.treasury, external: paid.net - paid.treasury } : {}
  const elsewhere = paid && paid.payee !== e.lock!.payee ? { paidTo: paid.payee } : {}
  const at = placeOf(seen)
  const made: Settlement = {
    ...current,
    ...parts,
    ...elsewhere,
    onChain,
    byLog: byLogOf(current, seen),
    settledAt: now,
    retryAt: null,
  }
  const settlement = made.treasury === 0n ? { ...made, treasuryAddress: null } : made
  return {
    state: move(e, 'pay', { settlement, dueAt: null, dueAction: null }),
    events:
      settlement.undone > 0
        ? [settlementCorrected(e, 'released', settlement)]
        : [released(e, settlement, { ...at, posterScore, assigneeScore }, now)],
  }
}

/** The payer has its money: by our refund, or by anybody after the contract's timeout. Seen while a release was under way, the payout is lost. */
export function refundSeen(e: Escrow, seen: Seen, now: Date): Result | undefined {
  const onChain = afterEffect(e.settlement, seen)
  if (!onChain) return undefined
  if (e.status === 'refunded') return seenAgain(e, onChain, seen)
  if (escrowStates.next(e.status, 'repay') === undefined) return undefined
  const at = placeOf(seen)
  const current = e.settlement ?? newSettlement({ kind: 'refund', onChain: noCommand, reason: 'default', by: 'time' })
  const payoutLost = e.status === 'releasing'
  const byLog = byLogOf(current, seen)
  const settlement: Settlement = { ...current, onChain, byLog, payoutLost, settledAt: now, retryAt: null }
  const decided = e.settlement ? { state: e, events: [] } : decide(e, 'refund', 'default', 'time', now)
  return {
    state: move(decided.state, 'repay', { settlement, dueAt: null, dueAction: null }),
    events: settlement.undone > 0 ? [settlementCorrected(e, 'refunded', settlement)] : [...decided.events, refunded(e, settlement, at, now)],
  }
}

/** The block of the settlement is dropped and the same transaction is sent again; only a failure reverses it. */
export function settleReorged(e: Escrow, reorg: OutcomeId): Result | undefined {
  const { settlement } = e
  const after = settlement && followOutcome(settlement.onChain, { ...reorg, is: 'reorged' })
  if (!after) return undefined
  // its place is shown until the next is known
  const { blockNumber, error } = settlement.onChain
  return { state: { ...e, settlement: { ...settlement, onChain: { ...after, blockNumber, error } } }, events: [] }
}

/**
 * Five tries failed, or a settlement that was made is reversed with its block. A release marks the slot so that in the end the contract pays the
 * payee; both are tried again within minutes.
 */
export function settleFailed(e: Escrow, failure: OutcomeId & { code: string; message: string }, now: Date): Result | undefined {
  const { settlement, status } = e
  if (!settlement || settlement.onChain.round === 0) return undefined
  const { round, seq, code, message } = failure
  const onChain = followOutcome(settlement.onChain, { is: 'failed', round, seq, txHash: null, error: failureText({ code, message }) })
  if (!onChain) return undefined
  // its lock is lost, too: only the number counts, should the chain make that lock after all
  if (status === 'unfunded') return { state: { ...e, settlement: { ...settlement, onChain: { ...settlement.onChain, round, seq } } }, events: [] }
  const isReversed = escrowStates.next(status, 'reverse') !== undefined && !settlement.payoutLost
  if (status !== 'releasing' && status !== 'refunding' && !isReversed) return undefined
  const retryAt = retryAfter(round, now)
  const approveRound = settlement.kind === 'release' ? settlement.approveRound + 1 : 0
  const failed: Settlement = {
    ...settlement,
    ...(isReversed ? notMade(settlement, 'failed') : {}),
    onChain,
    retryAt,
    approveRound,
  }
  const events = approveRound > 0 ? [approveCommand(e, approveRound)] : []
  const change = { settlement: failed, dueAt: retryAt, dueAction: 'retry' }
  if (!isReversed) return { state: { ...e, ...change }, events }
  return { state: move(e, 'reverse', change), events: [settlementCorrected(e, e.disputedAt ? 'disputed' : 'locked'), ...events] }
}

/**
 * The transaction of somebody else that settled is dropped with its block. The command of ours that was under way then has its effect now, or fails;
 * where there was none, one goes out a minute later.
 */
export function reverseSettlement(e: Escrow, txHash: string, now: Date): Result | undefined {
  const { settlement, status } = e
  // money that a payer got while a payout was under way is a debt already
  if (!settlement?.byLog || settlement.onChain.txHash !== txHash || settlement.payoutLost || escrowStates.next(status, 'reverse') === undefined)
    return undefined
  const retryAt = settlement.byLog.commandEnded ? retryAfter(1, now) : null
  const error = 'The block of its settlement is dropped'
  const reversed = notMade(settlement, retryAt ? 'failed' : 'pending')
  const lost: Settlement = { ...settlement, ...reversed, onChain: { ...reversed.onChain, error }, retryAt }
  return {
    state: move(e, 'reverse', { settlement: lost, dueAt: retryAt, dueAction: retryAt && 'retry' }),
    events: [settlementCorrected(e, e.disputedAt ? 'disputed' : 'locked')],
  }
}

/** The contract has given the money back for good although a payout had been confirmed: its block is dropped, and no outcome of that was received yet. */
export function releaseReverted(e: Escrow): Result | undefined {
  if (e.status !== 'released') return undefined
  const settlement: Settlement = { ...e.settlement!, ...notMade(e.settlement!, 'pending') }
  return { state: move(e, 'reverse', { settlement }), events: [settlementCorrected(e, e.disputedAt ? 'disputed' : 'locked')] }
}

/** The contract has paid other parts than we booked: after its timeout, so that our command found it done already. */
export const paidWithDifferentSplit = (e: Escrow, { fee, treasury }: Pick<NonNullable<Released['paid']>, 'fee' | 'treasury'>): Result | undefined =>
  e.status === 'released' && (e.settlement!.fee !== fee || e.settlement!.treasury !== treasury) ? releaseReverted(e) : undefined

/** The contract does not know whom to pay: the payee is named minutes later, or before its lock or the payout is tried again. */
export function payeeFailed(e: Escrow, { round, seq, code, message }: OutcomeId & { code: string; message: string }, now: Date): Result | undefined {
  if (!e.lock || e.settlement?.kind === 'refund') return undefined
  const current = e.lock.payeeOnChain ?? noCommand
  const payeeOnChain = followOutcome(current, { is: 'failed', round, seq, txHash: null, error: failureText({ code, message }) })
  if (!payeeOnChain) return undefined
  const state: Escrow = { ...e, lock: { ...e.lock, payeeOnChain } }
  if (escrowStates.next(e.status, 'release') === undefined) return { state, events: [] }
  const retryAt = retryAfter(round, now)
  return { state: { ...state, dueAt: e.dueAt && e.dueAt < retryAt ? e.dueAt : retryAt }, events: [] }
}

export const receiptVerdict = ({ by }: Pick<Settlement, 'by'>): 'APPROVED' | 'ORACLE' | 'DEFAULT' =>
  by === 'time' ? 'DEFAULT' : by === 'swarm' ? 'APPROVED' : 'ORACLE'

function released(e: Escrow, settlement: Settlement, seen: Place & Pick<Released, 'posterScore' | 'assigneeScore'>, now: Date): Draft {
  const { verdict, validationId, weak } = effectiveVerdict(e)
  const { by, reason, fee, treasury, external, treasuryAddress } = settlement
  const isByVerdict = by === 'swarm' && verdict === 'approved'
  return escrowReleased.of({
    ...facts(e),
    ...seen,
    assigneeId: e.assignment!.assigneeId,
    fundedFrom: fundedFrom(e.lock!),
    crewId: e.assignment!.crewId,
    skillsRequired: e.skillsRequired,
    feeBp: e.assignment!.feeBp,
    fee,
    net: treasury + external,
    split: { treasury, external, treasuryAddress, externalAddress: e.lock!.payee },
    by,
    verdict: receiptVerdict(settlement),
    validationId,
    weak: isByVerdict && weak,
    creditable: by !== 'time' && !(isByVerdict && weak),
    afterDispute: e.dispute !== null && reason !== 'default',
    settledAt: iso(now),
  })
}

const refunded = (e: Escrow, { reason, by, failure, payoutLost }: Settlement, at: Place, now: Date): Draft =>
  escrowRefunded.of({
    ...facts(e),
    ...at,
    fundedFrom: fundedFrom(e.lock!),
    reason,
    by,
    failure: payoutLost ? null : failure,
    payoutLost,
    disputed: e.disputedAt !== null,
    refundedAt: iso(now),
  })

/** Of a settlement, or the name of a payee, that had no command of ours. */
const noCommand: Required<OnChain> = { ...sentOnChain, round: 0 }

/** What a settlement knows on chain after its effect was seen; undefined when that is stale. What a final log shows always counts. */
function afterEffect(settlement: Settlement | null, seen: Seen): Settlement['onChain'] | undefined {
  const current = settlement?.onChain ?? noCommand
  const { round = current.round, seq } = seen
  if (seq !== undefined) return followOutcome(current, { is: 'confirmed', round, seq, ...placeOf(seen) })
  return { ...current, ...placeOf(seen), status: 'confirmed', error: null }
}

/** The same effect, perhaps in another block or by another transaction: services that show where it was made are notified. */
function seenAgain(e: Escrow, after: Settlement['onChain'], seen: Seen): Result | undefined {
  const current = e.settlement!
  const { seq, already } = seen
  const { txHash, blockNumber } = current.onChain
  const isMoved = !already && (seen.txHash !== txHash || seen.blockNumber !== blockNumber)
  if (!isMoved && seq === undefined) return undefined
  // our own command says that the transaction is its own
  const isOurs = seq !== undefined && !already
  const byLog = isOurs ? null : isMoved ? byLogOf(current, seen) : (current.byLog ?? null)
  const settlement: Settlement = { ...current, onChain: isMoved ? after : { ...after, txHash, blockNumber }, byLog }
  const status = e.status === 'released' ? 'released' : 'refunded'
  return { state: { ...e, settlement }, events: isMoved ? [settlementCorrected(e, status, settlement)] : [] }
}

const byLogOf = ({ onChain: { round }, retryAt }: Settlement, { seq, already = false }: Seen): Settlement['byLog'] =>
  seq === undefined || already ? { commandEnded: round === 0 || retryAt !== null } : null

const placeOf = ({ txHash, blockNumber }: Place): Place => ({ txHash, blockNumber })

/** What changes of a settlement whose effect the chain has reversed. */
export const notMade = ({ undone, onChain }: Settlement, status: OnChain['status']) => ({
  undone: undone + 1,
  onChain: { ...onChain, status, txHash: null, blockNumber: null },
  byLog: null,
})
