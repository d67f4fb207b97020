import { escrowFailed, escrowLocked } from '@carapace/api'
import { commands, type FundingSource } from '@carapace/chain'
import { advance, type Moment } from './act.ts'
import { deadline, facts, fundedFrom, iso, move, type OnChain, type Result, slot, type Told, zeroAddress } from './change.ts'
import { type Escrow, type Lock, next, type Settlement } from './escrow.ts'
import { isTold, restated } from './restated.ts'

export type Reservation = Pick<Lock, 'operationId' | 'kind' | 'from' | 'poster'> & { payee?: string }

/** Step 1 of the lock saga: the record, whose ledger lines and cap are checked in the same transaction. */
export function reserve(e: Escrow, reservation: Reservation): Result {
  const lock: Lock = {
    payee: e.assignment?.wallet ?? zeroAddress,
    ...reservation,
    round: e.lockRounds + 1,
    seq: 0,
    stage: 'reserving',
    txHash: null,
    blockNumber: null,
    lockedAt: null,
    payeeRound: 0,
    payeeFailed: false,
  }
  return { state: move(e, 'reserve', { lock, lockRounds: lock.round, lockFailure: null }), events: [] }
}

/** Step 3: the command, once its source is reserved. */
export function sendLock(e: Escrow, source: FundingSource): Result {
  const { lock } = e
  if (e.status !== 'funding' || lock?.stage !== 'reserving') return { state: e, events: [] }
  const sent: Lock = { ...lock, stage: 'sent' }
  const command = commands.escrowLock({ ...slot(e, sent), payee: sent.payee, amount: e.amount, source, round: sent.round, deadline: deadline() })
  return { state: { ...e, lock: sent }, events: [command] }
}

/** Accepts a lock that the poster made on the contract itself. */
export function acceptDirect(e: Escrow, operationId: string): Result {
  const direct = e.directLock!
  const reserved = reserve(e, { operationId, kind: 'onchain', from: direct.poster, poster: direct.poster, payee: direct.payee }).state
  const sent: Lock = { ...reserved.lock!, stage: 'sent', txHash: direct.txHash, blockNumber: direct.blockNumber }
  const command = commands.escrowAccept({ ...slot(e, sent), amount: e.amount, round: sent.round })
  return { state: { ...reserved, lock: sent }, events: [command] }
}

/** Whether an outcome of the lock's command says something new: of this round, and younger than what was followed. */
const isNews = (lock: Lock | null, { round, seq }: Told): lock is Lock => lock !== null && lock.round === round && seq > lock.seq

export function lockConfirmed(e: Escrow, seen: OnChain & Told, moment: Moment): Result | undefined {
  const known = e.lock
  if (!isNews(known, seen)) return undefined
  const { txHash, blockNumber } = known.kind === 'onchain' ? { txHash: known.txHash!, blockNumber: known.blockNumber! } : seen
  const at = { txHash, blockNumber }
  const lock: Lock = { ...known, stage: 'confirmed', seq: seen.seq, ...at, lockedAt: known.lockedAt ?? moment.now }
  // the same effect in another block
  if (e.status !== 'funding') return { state: { ...e, lock }, events: [] }
  const isFirst = known.lockedAt === null
  const locked = escrowLocked.of({ ...facts(e), fundedFrom: fundedFrom(lock), ...at, lockedAt: iso(moment.now) })
  const then = advance(move(e, 'confirm', { lock }), moment)
  return { state: then.state, events: [...(isFirst ? [locked] : []), ...then.events] }
}

/** The block of the lock is gone: nothing is decided about its money until the same transaction is in a block again, or has failed. */
export function lockReorged(e: Escrow, told: Told): Result | undefined {
  if (!isNews(e.lock, told)) return undefined
  const lock: Lock = { ...e.lock, stage: 'sent', seq: told.seq }
  const isOpen = next(e.status, 'reopen') !== undefined
  return { state: isOpen ? move(e, 'reopen', { lock, dueAt: null, dueAction: null }) : { ...e, lock }, events: [] }
}

/** The same of a lock that somebody made on the contract itself: its acceptance, which came after it, is asked for again or fails. */
export function directLockLost(e: Escrow, txHash: string): Result | undefined {
  const { lock, directLock, reclaimed } = e
  const known: Escrow = {
    ...e,
    directLock: directLock?.txHash === txHash ? null : directLock,
    reclaimed: reclaimed?.lock.txHash === txHash ? null : (reclaimed ?? null),
  }
  const isAccepted = lock?.kind === 'onchain' && lock.txHash === txHash && next(e.status, 'reopen') !== undefined
  if (!isAccepted && directLock?.txHash !== txHash && reclaimed?.lock.txHash !== txHash) return undefined
  const state = isAccepted ? move(known, 'reopen', { lock: { ...lock, stage: 'sent' }, dueAt: null, dueAction: null }) : known
  return { state, events: [] }
}

export interface LockFailure extends Told {
  code: string
  message: string
}

/** The terminal failure of the lock's command: nothing was moved, or what was moved is undone with its block. */
export function lockFailed(e: Escrow, failure: LockFailure, moment: Moment): Result | undefined {
  if (!isNews(e.lock, failure)) return undefined
  const { code, message: error } = failure
  const failed = escrowFailed.of({ ...facts(e), code, error, wasLocked: e.lock.lockedAt !== null, disputed: e.disputedAt !== null })
  if (next(e.status, 'fail') === undefined) return { state: withoutLock(e), events: [isTold(e) ? restated(e, 'none') : failed] }
  const then = freed(e, failure, moment)
  return { state: then.state, events: [failed, ...then.events] }
}

/** The treasury refuses before there is a command. */
export const lockRefused = (e: Escrow, refusal: Pick<LockFailure, 'round' | 'code' | 'message'>, moment: Moment): Result | undefined =>
  e.status === 'funding' && e.lock?.stage === 'reserving' && e.lock.round === refusal.round ? freed(e, refusal, moment) : undefined

function freed(e: Escrow, { round, code, message }: Pick<LockFailure, 'round' | 'code' | 'message'>, moment: Moment): Result {
  const { kind, operationId } = e.lock!
  const lockFailure = { round, code, message, operationId }
  // a direct lock that cannot be accepted is its depositor's, who takes it back, or asks for it again by confirm-onchain
  const directLock = kind === 'onchain' ? null : e.directLock
  return advance(
    move(e, 'fail', { lock: null, directLock, lockFailure, disputedAt: null, disputeReason: null, dueAt: null, dueAction: null }),
    moment,
  )
}

/** Its settlement was decided, perhaps paid, in blocks that are gone: the payer has its money, whoever was to be paid has lost it. */
function withoutLock(e: Escrow): Escrow {
  const settlement: Settlement = { ...e.settlement!, txHash: null, blockNumber: null, retryAt: null, payoutLost: e.settlement!.kind === 'release' }
  return move(e, 'vanish', { lock: null, settlement, dueAt: null, dueAction: null })
}
