import { type Draft, escrowRefunded, escrowReleased } from '@carapace/api'
import { commands } from '@carapace/chain'
import { retryAfter } from '../retry.ts'
import { decide, facts, fundedFrom, iso, move, type OnChain, type Result, slot, type Told } from './change.ts'
import { type Escrow, newSettlement, next, type Settlement } from './escrow.ts'
import { standing } from './judge.ts'
import { restated } from './restated.ts'

export interface Seen extends OnChain {
  /** Of the command's outcome; undefined when a final log told of it. */
  seq?: number
  /** Our command found nothing left to do: its transaction is not the one that had the effect. */
  already?: boolean
}

export interface Released extends Seen {
  /** As the log says; undefined when the confirmation carries none. */
  paid?: { fee: bigint; net: bigint; treasury: bigint }
  posterScore: number
  assigneeScore: number
}

export function releaseConfirmed(e: Escrow, seen: Released, now: Date): Result | undefined {
  const { paid, posterScore, assigneeScore, seq } = seen
  if (!isNews(e, seq)) return undefined
  if (e.status === 'released') return seenAgain(e, 'released', seen)
  if (e.status !== 'releasing') return undefined
  const known = e.settlement!
  const parts = paid ? { fee: paid.fee, treasury: paid.treasury, external: paid.net - paid.treasury } : {}
  const at = placeOf(seen)
  const made: Settlement = {
    ...known,
    ...parts,
    ...at,
    byLog: byLogOf(known, seen),
    seq: seq ?? known.seq,
    settledAt: now,
    retryAt: null,
    error: null,
  }
  const settlement = made.treasury === 0n ? { ...made, treasuryAddress: null } : made
  return {
    state: move(e, 'pay', { settlement, dueAt: null, dueAction: null }),
    events: settlement.undone > 0 ? [restated(e, 'released', settlement)] : [released(e, settlement, { ...at, posterScore, assigneeScore }, now)],
  }
}

/** The payer has its money: by our refund, or by anybody after the contract's timeout. Seen while a release was under way, the payout is lost. */
export function refundSeen(e: Escrow, seen: Seen, now: Date): Result | undefined {
  const { seq } = seen
  if (!isNews(e, seq)) return undefined
  if (e.status === 'refunded') return seenAgain(e, 'refunded', seen)
  if (next(e.status, 'lapse') === undefined) return undefined
  const at = placeOf(seen)
  const known = e.settlement ?? newSettlement({ kind: 'refund', round: 0, reason: 'default', by: 'time' })
  const payoutLost = e.status === 'releasing'
  const byLog = byLogOf(known, seen)
  const settlement: Settlement = { ...known, ...at, byLog, seq: seq ?? known.seq, payoutLost, settledAt: now, retryAt: null, error: null }
  const decided = e.settlement ? { state: e, events: [] } : decide(e, 'refund', 'default', 'time', now)
  return {
    state: move(decided.state, 'lapse', { settlement, dueAt: null, dueAction: null }),
    events: settlement.undone > 0 ? [restated(e, 'refunded', settlement)] : [...decided.events, refunded(e, settlement, at, now)],
  }
}

/** The block of the settlement is gone and the same transaction is sent again; only a failure would undo it. */
export function settleReorged(e: Escrow, { seq }: Told): Result | undefined {
  if (!e.settlement || !isNews(e, seq)) return undefined
  return { state: { ...e, settlement: { ...e.settlement, seq } }, events: [] }
}

/**
 * Five tries failed, or a settlement that was made is undone with its block. A release marks the slot so that in the end the contract pays the
 * payee; both are tried again within minutes.
 */
export function settleFailed(e: Escrow, failure: Told & { code: string; message: string }, now: Date): Result | undefined {
  const { settlement, status } = e
  if (!settlement || settlement.round === 0 || failure.round < settlement.round || !isNews(e, failure.seq)) return undefined
  const isUndone = next(status, 'revoke') !== undefined && !settlement.payoutLost
  if (status !== 'releasing' && status !== 'refunding' && !isUndone) return undefined
  const retryAt = retryAfter(failure.round, now)
  const approveRound = settlement.kind === 'release' ? settlement.approveRound + 1 : 0
  const failed: Settlement = {
    ...settlement,
    round: failure.round,
    seq: failure.seq,
    ...(isUndone ? notMade(settlement) : {}),
    error: `${failure.code}: ${failure.message}`.slice(0, 500),
    retryAt,
    approveRound,
  }
  const events = approveRound > 0 ? [commands.escrowApprove({ ...slot(e, e.lock!), round: approveRound })] : []
  const change = { settlement: failed, dueAt: retryAt, dueAction: 'retry' }
  if (!isUndone) return { state: { ...e, ...change }, events }
  return { state: move(e, 'revoke', change), events: [restated(e, e.disputedAt ? 'disputed' : 'locked'), ...events] }
}

/**
 * The transaction of somebody else that settled is gone with its block. The command of ours that was under way then has its effect now, or fails;
 * where there was none, one goes out a minute later.
 */
export function settlementLost(e: Escrow, txHash: string, now: Date): Result | undefined {
  const { settlement, status } = e
  // money that a payer got while a payout was under way is a debt already
  if (!settlement?.byLog || settlement.txHash !== txHash || settlement.payoutLost || next(status, 'revoke') === undefined) return undefined
  const retryAt = settlement.byLog.commandEnded ? retryAfter(1, now) : null
  const error = 'The block of its settlement is gone'
  const lost: Settlement = { ...settlement, ...notMade(settlement), error, retryAt }
  return {
    state: move(e, 'revoke', { settlement: lost, dueAt: retryAt, dueAction: retryAt && 'retry' }),
    events: [restated(e, e.disputedAt ? 'disputed' : 'locked')],
  }
}

/** The contract has given the money back for good although a payout had been confirmed: its block is gone, and nothing has told of that yet. */
export function payoutRefuted(e: Escrow): Result | undefined {
  if (e.status !== 'released') return undefined
  const settlement: Settlement = { ...e.settlement!, ...notMade(e.settlement!) }
  return { state: move(e, 'revoke', { settlement }), events: [restated(e, e.disputedAt ? 'disputed' : 'locked')] }
}

/** The contract has paid in other parts than we took for granted: after its timeout, so that our command found nothing left to do. */
export const payoutMisread = (e: Escrow, { fee, treasury }: NonNullable<Released['paid']>): Result | undefined =>
  e.status === 'released' && (e.settlement!.fee !== fee || e.settlement!.treasury !== treasury) ? payoutRefuted(e) : undefined

/** The contract does not know whom to pay: it is told minutes later, or before its lock or the payout is tried again. */
export function payeeFailed(e: Escrow, round: number, now: Date): Result | undefined {
  if (!e.lock || round < e.lock.payeeRound || e.settlement?.kind === 'refund') return undefined
  const state: Escrow = { ...e, lock: { ...e.lock, payeeFailed: true, payeeRound: round } }
  if (next(e.status, 'release') === undefined) return { state, events: [] }
  const retryAt = retryAfter(round, now)
  return { state: { ...state, dueAt: e.dueAt && e.dueAt < retryAt ? e.dueAt : retryAt }, events: [] }
}

export const receiptVerdict = ({ by }: Pick<Settlement, 'by'>): 'APPROVED' | 'ORACLE' | 'DEFAULT' =>
  by === 'time' ? 'DEFAULT' : by === 'swarm' ? 'APPROVED' : 'ORACLE'

function released(e: Escrow, settlement: Settlement, seen: OnChain & Pick<Released, 'posterScore' | 'assigneeScore'>, now: Date): Draft {
  const { verdict, validationId, weak } = standing(e)
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

const refunded = (e: Escrow, { reason, by, failure, payoutLost }: Settlement, at: OnChain, now: Date): Draft =>
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

/** Whether an outcome of the settlement's command is younger than what was followed. What a final log tells always counts. */
const isNews = ({ settlement }: Escrow, seq: number | undefined): boolean => seq === undefined || seq > (settlement?.seq ?? 0)

/** The same effect, perhaps in another block or by another transaction: whoever shows where it was made must hear of that. */
function seenAgain(e: Escrow, status: 'released' | 'refunded', seen: Seen): Result | undefined {
  const known = e.settlement!
  const { seq, already } = seen
  const at = placeOf(seen)
  const isMoved = !already && (at.txHash !== known.txHash || at.blockNumber !== known.blockNumber)
  if (!isMoved && seq === undefined) return undefined
  // our own command says that the transaction is its own
  const isOurs = seq !== undefined && !already
  const byLog = isOurs ? null : isMoved ? byLogOf(known, seen) : (known.byLog ?? null)
  const settlement: Settlement = { ...known, ...(isMoved ? at : {}), byLog, seq: seq ?? known.seq }
  return { state: { ...e, settlement }, events: isMoved ? [restated(e, status, settlement)] : [] }
}

const byLogOf = ({ round, retryAt }: Settlement, { seq, already = false }: Seen): Settlement['byLog'] =>
  seq === undefined || already ? { commandEnded: round === 0 || retryAt !== null } : null

const placeOf = ({ txHash, blockNumber }: OnChain): OnChain => ({ txHash, blockNumber })

const notMade = ({ undone }: Settlement) => ({ undone: undone + 1, txHash: null, blockNumber: null, byLog: null })
