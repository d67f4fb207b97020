import { escrowFailed, escrowLocked } from '@carapace/api'
import { contractField, type FundingSource, failureText, followOutcome, type ObservedOutcome, retryAfter, sentOnChain } from '@carapace/chain'
import type { Place } from '../../chain-log.ts'
import { advance, type Moment } from '../advance.ts'
import { acceptCommand, lockCommand, lockX402Command, zeroAddress } from '../commands.ts'
import { isSettlementPublished, settlementCorrected } from '../correction.ts'
import type { Escrow, Lock, Settlement } from '../escrow.ts'
import { escrowStates } from '../escrow-states.ts'
import { notMade } from '../settlement/transitions.ts'
import { facts, fundedFrom, iso, move, type OutcomeId, type Result } from '../transition.ts'

/** `contract`: where it is opened, if it was opened nowhere before. */
export type Reservation = Pick<Lock, 'operationId' | 'kind' | 'from' | 'poster'> & { payee?: string; contract?: string | undefined }

/** Step 1 of the lock saga: the record, whose ledger lines and cap are checked in the same transaction. */
export function reserveLock(e: Escrow, { contract, ...reservation }: Reservation): Result {
  const lock: Lock = {
    payee: e.assignment?.wallet ?? zeroAddress,
    ...reservation,
    onChain: { ...sentOnChain, round: e.lockRounds + 1 },
    stage: 'reserving',
    lockedAt: null,
    payeeOnChain: null,
  }
  // a failed lock may be made after all: all that is locked for a gig is locked in one slot
  const bound = e.lockRounds > 0 ? {} : contractField(contract)
  return { state: move(e, 'reserve', { ...bound, lock, lockRounds: lock.onChain.round, lockFailure: null }), events: [] }
}

/** Step 3: the command, once its source is reserved. `intake`: an x402 payment that is set aside there, at the address that it came to. */
export function sendLock(e: Escrow, source: FundingSource | { kind: 'intake'; payTo?: string }): Result {
  const { lock } = e
  if (e.status !== 'funding' || lock?.stage !== 'reserving') return { state: e, events: [] }
  const place = source.kind === 'intake' && source.payTo !== undefined ? { payTo: source.payTo } : {}
  const sent: Lock = { ...lock, ...place, stage: 'sent' }
  return { state: { ...e, lock: sent }, events: [source.kind === 'intake' ? lockX402Command(e, sent) : lockCommand(e, sent, source)] }
}

/**
 * Accepts a lock that the poster made on the contract itself. Until the acceptance is in a block its depositor may put another one of the same amount
 * in its place, so that the payee counts as unknown: the assignee is named to the contract in any case.
 */
export function acceptDirect(e: Escrow, operationId: string): Result {
  const direct = e.directLock!
  const { poster, contract } = direct
  const reserved = reserveLock(e, { operationId, kind: 'onchain', from: poster, poster, payee: zeroAddress, contract }).state
  const lock = reserved.lock!
  const sent: Lock = { ...lock, stage: 'sent', onChain: { ...lock.onChain, txHash: direct.txHash, blockNumber: direct.blockNumber } }
  return { state: { ...reserved, lock: sent }, events: [acceptCommand(reserved, sent)] }
}

/**
 * What a lock knows on chain after an outcome; undefined when it is stale. Rounds of locks and of acceptances are counted together: an outcome of
 * another round is about another command.
 */
function afterOutcome({ kind, onChain }: Lock, outcome: ObservedOutcome): Lock['onChain'] | undefined {
  const after = onChain.round === outcome.round ? followOutcome(onChain, outcome) : undefined
  const { txHash, blockNumber } = onChain
  // one that is only accepted is where its depositor made it; the place of a dropped one is shown until the next is known
  return after && (kind === 'onchain' || outcome.is === 'reorged') ? { ...after, txHash, blockNumber } : after
}

const placeOf = ({ onChain }: Lock): Place => ({ txHash: onChain.txHash!, blockNumber: onChain.blockNumber! })

/**
 * Whose money it was: a round may end with the lock of an earlier one, which had another source.
 * @param payer the address that paid, by the log; undefined: as requested
 * @param intakes where x402 payments are before they are locked
 */
function sourceOf({ kind, from, poster }: Lock, payer: string | undefined, intakes: readonly string[] | undefined): Pick<Lock, 'kind' | 'from'> {
  if (payer !== undefined && intakes?.includes(payer)) return { kind: 'x402', from: poster }
  if (payer === undefined || (payer === from && kind !== 'x402') || kind === 'onchain') return { kind, from }
  return { kind: payer === poster ? 'allowance' : 'treasury', from: payer }
}

/**
 * Whom the contract will pay. A lock that our transaction of this round did not make (an earlier round did, perhaps before there was an assignee, or
 * somebody else) may name anybody until the assignee is named by a command of its own.
 */
const payeeOf = ({ payee, payeeOnChain }: Lock, already: boolean | undefined): string => (already && !payeeOnChain ? zeroAddress : payee)

/** What the relayer says of a lock that is in a block. */
type SeenLock = Place & OutcomeId & { payer?: string; intakes?: readonly string[]; already?: boolean }

/** The lock was found on chain without its logs, and an earlier round may have made it with the money of another source: poll again for the logs. */
export const isSourceUnclear = ({ status, lock }: Escrow, { already, payer }: { already: boolean; payer?: string }): boolean =>
  status === 'funding' && lock !== null && lock.kind !== 'onchain' && lock.onChain.round > 1 && already && payer === undefined

export function lockConfirmed(e: Escrow, seen: SeenLock, moment: Moment): Result | undefined {
  if (!e.lock) return lockedLate(e, seen, moment)
  const { unclearSince: _, ...current } = e.lock
  const onChain = afterOutcome(current, { ...seen, is: 'confirmed' })
  if (!onChain) return undefined
  const lock: Lock = {
    ...current,
    ...(e.status === 'refunded' ? {} : sourceOf(current, seen.payer, seen.intakes)),
    payee: e.status === 'funding' ? payeeOf(current, seen.already) : current.payee,
    stage: 'confirmed',
    onChain,
    lockedAt: current.lockedAt ?? moment.now,
  }
  // the same effect in another block
  if (e.status !== 'funding') return { state: { ...e, lock }, events: [] }
  const isFirst = current.lockedAt === null
  const locked = escrowLocked.of({ ...facts(e), fundedFrom: fundedFrom(lock), ...placeOf(lock), lockedAt: iso(moment.now) })
  const then = advance(move(e, 'confirm', { lock }), moment)
  return { state: then.state, events: [...(isFirst ? [locked] : []), ...then.events] }
}

/**
 * The chain made a lock whose failure was published: its money is in the contract, and what is known by now decides about it. One that was requested
 * in its place ends with this effect as its own round.
 */
function lockedLate(e: Escrow, seen: SeenLock, moment: Moment): Result | undefined {
  const failed = e.lockFailure?.lock
  const onChain = failed && afterOutcome(failed, { ...seen, is: 'confirmed' })
  if (!onChain || escrowStates.next(e.status, 'lockLate') === undefined) return undefined
  // what named the payee may have failed with the lock
  const payeeOnChain = failed.payeeOnChain && { ...failed.payeeOnChain, status: 'failed' as const }
  const made = { stage: 'confirmed', onChain, lateSeq: seen.seq, lockedAt: failed.lockedAt ?? moment.now, payeeOnChain } as const
  const lock: Lock = { ...failed, ...sourceOf(failed, seen.payer, seen.intakes), payee: payeeOf(failed, seen.already), ...made }
  const locked = escrowLocked.of({ ...facts(e), fundedFrom: fundedFrom(lock), ...placeOf(lock), lockedAt: iso(moment.now) })
  if (e.settlement) {
    const event = isSettlementPublished(e) ? settlementCorrected(e, e.disputedAt ? 'disputed' : 'locked') : locked
    return { state: dueAgain(e, e.settlement, lock, moment), events: [event] }
  }
  const decision = e.decision?.outcome === 'unfunded' ? null : e.decision
  const then = advance(move(e, 'lockLate', { lock, lockFailure: null, decision }), moment)
  return { state: then.state, events: [locked, ...then.events] }
}

/** The settlement that was decided before the lock was lost is made now: by its command where that still waits, else by the next round. */
function dueAgain(e: Escrow, decided: Settlement, lock: Lock, { now }: Moment): Escrow {
  const retryAt = retryAfter(1, now)
  const settlement: Settlement = { ...decided, payoutLost: false, retryAt, onChain: { ...decided.onChain, status: 'failed' } }
  const held = move(e, 'lockLate', { lock, lockFailure: null })
  return move(held, decided.kind, { settlement, dueAt: retryAt, dueAction: 'retry' })
}

/** The block of the lock is dropped: nothing is decided about its money until the same transaction is in a block again, or has failed. */
export function lockReorged(e: Escrow, reorg: OutcomeId): Result | undefined {
  const onChain = e.lock && afterOutcome(e.lock, { ...reorg, is: 'reorged' })
  if (!e.lock || !onChain) return undefined
  const lock: Lock = { ...e.lock, stage: 'sent', onChain }
  const isOpen = escrowStates.next(e.status, 'reopen') !== undefined
  return { state: isOpen ? move(e, 'reopen', { lock, dueAt: null, dueAction: null }) : { ...e, lock }, events: [] }
}

/** The same of a lock that somebody made on the contract itself: its acceptance, which came after it, is sent again or fails. */
export function directLockLost(e: Escrow, txHash: string): Result | undefined {
  const { lock, directLock, reclaimed } = e
  const without: Escrow = {
    ...e,
    directLock: directLock?.txHash === txHash ? null : directLock,
    reclaimed: reclaimed?.lock.txHash === txHash ? null : (reclaimed ?? null),
  }
  const isAccepted = lock?.kind === 'onchain' && lock.onChain.txHash === txHash && escrowStates.next(e.status, 'reopen') !== undefined
  if (!isAccepted && directLock?.txHash !== txHash && reclaimed?.lock.txHash !== txHash) return undefined
  if (!isAccepted) return { state: without, events: [] }
  const reopened: Lock = { ...lock, stage: 'sent', onChain: { ...lock.onChain, status: 'pending' } }
  const state = move(without, 'reopen', { lock: reopened, dueAt: null, dueAction: null })
  return { state, events: [] }
}

export interface LockFailure extends OutcomeId {
  code: string
  message: string
}

/** The terminal failure of the lock's command: nothing was moved, or what was moved is reversed with its block. */
export function lockFailed(e: Escrow, failure: LockFailure, moment: Moment): Result | undefined {
  if (!e.lock) return failedAgain(e, failure)
  const onChain = afterOutcome(e.lock, ended(failure))
  if (!onChain) return undefined
  const lost: Lock = { ...e.lock, onChain }
  const { code, message: error } = failure
  const failed = escrowFailed.of({ ...facts(e), code, error, wasLocked: e.lock.lockedAt !== null, disputed: e.disputedAt !== null })
  if (escrowStates.next(e.status, 'fail') === undefined)
    return { state: withoutLock(e, lost, failure), events: [isSettlementPublished(e) ? settlementCorrected(e, 'none') : failed] }
  const then = freed(e, lost, failure, moment)
  return { state: then.state, events: [failed, ...then.events] }
}

const ended = ({ round, seq, code, message }: LockFailure): ObservedOutcome => ({
  is: 'failed',
  round,
  seq,
  txHash: null,
  error: failureText({ code, message }),
})

/** Its newer number counts against a late confirmation that is older. */
function failedAgain(e: Escrow, failure: LockFailure): Result | undefined {
  const { lockFailure } = e
  const onChain = lockFailure?.lock && afterOutcome(lockFailure.lock, ended(failure))
  return onChain && { state: { ...e, lockFailure: { ...lockFailure, lock: { ...lockFailure.lock!, onChain } } }, events: [] }
}

type Refused = Omit<LockFailure, 'seq'>

/** The treasury refuses before there is a command. */
export function lockRefused(e: Escrow, refusal: Refused, moment: Moment): Result | undefined {
  const { lock, status } = e
  if (status !== 'funding' || lock?.stage !== 'reserving' || lock.onChain.round !== refusal.round) return undefined
  const onChain: Lock['onChain'] = { ...lock.onChain, status: 'failed', error: failureText(refusal) }
  return freed(e, { ...lock, onChain }, refusal, moment)
}

function freed(e: Escrow, lock: Lock, failure: Refused, moment: Moment): Result {
  const lockFailure = failureOf(lock, failure)
  // a direct lock that cannot be accepted is its depositor's, who reclaims it, or requests it again by confirm-onchain
  const directLock = lock.kind === 'onchain' ? null : e.directLock
  return advance(
    move(e, 'fail', { lock: null, directLock, lockFailure, disputedAt: null, disputeReason: null, dueAt: null, dueAction: null }),
    moment,
  )
}

const failureOf = (lock: Lock, { round, code, message }: Refused): Escrow['lockFailure'] => ({
  ...{ round, code, message, operationId: lock.operationId },
  lock,
})

/** Its settlement was decided, perhaps paid, in blocks that are dropped: the payer has its money, the payee has lost it. */
function withoutLock(e: Escrow, lock: Lock, failure: LockFailure): Escrow {
  const decided = e.settlement!
  const { undone, onChain } = notMade(decided, 'failed')
  const reversed = escrowStates.isFinal(e.status) ? { undone, onChain, byLog: null } : { onChain }
  const settlement: Settlement = { ...decided, ...reversed, retryAt: null, payoutLost: decided.kind === 'release' }
  return move(e, 'loseLock', { lock: null, lockFailure: failureOf(lock, failure), settlement, dueAt: null, dueAction: null })
}
