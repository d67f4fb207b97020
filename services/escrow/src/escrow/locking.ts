import { escrowFailed, escrowLocked } from '@carapace/api'
import { commands, type FundingSource } from '@carapace/chain'
import { advance, type Moment } from './act.ts'
import { deadline, facts, fundedFrom, iso, move, type OnChain, type Result, slot, zeroAddress } from './change.ts'
import type { Escrow, Lock } from './escrow.ts'

export type Reservation = Pick<Lock, 'operationId' | 'kind' | 'from' | 'poster'> & { payee?: string }

/** Step 1 of the lock saga: the record, whose ledger lines and cap are checked in the same transaction. */
export function reserve(e: Escrow, reservation: Reservation): Result {
  const lock: Lock = {
    payee: e.assignment?.wallet ?? zeroAddress,
    ...reservation,
    round: e.lockRounds + 1,
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

export function lockConfirmed(e: Escrow, seen: OnChain, moment: Moment): Result | undefined {
  if (e.status !== 'funding') return undefined
  const at = e.lock!.kind === 'onchain' ? { txHash: e.lock!.txHash!, blockNumber: e.lock!.blockNumber! } : seen
  const lock: Lock = { ...e.lock!, stage: 'confirmed', ...at, lockedAt: moment.now }
  const state = move(e, 'confirm', { lock })
  const locked = escrowLocked.of({ ...facts(e), fundedFrom: fundedFrom(lock), ...at, lockedAt: iso(moment.now) })
  const then = advance(state, moment)
  return { state: then.state, events: [locked, ...then.events] }
}

/** The terminal failure of the lock's command, or the treasury's refusal before there was one: nothing was moved. */
export function lockFailed(e: Escrow, failure: { round: number; code: string; message: string }, moment: Moment): Result | undefined {
  if (e.status !== 'funding' || e.lock!.round !== failure.round) return undefined
  const wasSent = e.lock!.stage === 'sent'
  const state = move(e, 'fail', { lock: null, lockFailure: { ...failure, operationId: e.lock!.operationId } })
  const failed = wasSent ? [escrowFailed.of({ ...facts(e), code: failure.code, error: failure.message })] : []
  const then = advance(state, moment)
  return { state: then.state, events: [...failed, ...then.events] }
}
