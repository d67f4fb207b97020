import { type Draft, escrowDecided, escrowDisputed, escrowFailed, escrowLocked, escrowRefunded, escrowReleased, feeOf } from '@carapace/api'
import type { FundingSource } from '@carapace/chain'
import { commands } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { type By, day, type Escrow, type Lock, next, type Reason, type Settlement, type Step } from './escrow.ts'
import { type Judgement, judge, standing } from './judge.ts'

export const zeroAddress = `0x${'0'.repeat(40)}`
const retryAfter = day
const commandTime = 15 * 60_000

export interface Moment {
  now: Date
  /**
   * Whether a time that has passed may decide. Not while facts are learnt: after a standstill the next event may be the appeal that the deadline
   * waits for, so only the job decides by time, and it asks the swarm first.
   */
  timers: boolean
  /** The assignee's custodial wallet, if it has one: half of the net goes there. */
  splitTo: string | null
}

/** Reservations are never spent after it (wall clock, judged by the relayer). */
export const deadline = (): Date => new Date(Date.now() + commandTime)

type Change = Partial<Escrow>
type Result = Decision<Escrow>

const iso = (at: Date): string => at.toISOString()
const facts = (e: Escrow) => ({
  escrowId: e.escrowId,
  gigId: e.id,
  gigTitle: e.gigTitle,
  posterId: e.posterId,
  assigneeId: e.assignment?.assigneeId ?? null,
  amount: e.amount,
  chain: e.chain,
})
const slot = (e: Escrow, lock: Lock) => ({ gigId: e.id, poster: lock.poster, chain: e.chain })
const fundedFrom = ({ kind, from }: Lock) => ({ kind, address: from })

function move(e: Escrow, step: Step, change: Change): Escrow {
  const to = next(e.status, step)
  if (to === undefined) throw new Error(`an escrow that is ${e.status} cannot ${step}`)
  return { ...e, ...change, status: to }
}

function decide(e: Escrow, outcome: NonNullable<Escrow['decision']>['outcome'], reason: Reason, by: By, now: Date): Result {
  const state: Escrow = { ...e, decision: { outcome, reason, by, at: now } }
  const { verdict, validationId } = standing(e)
  return {
    state,
    events: [
      escrowDecided.of({
        ...facts(e),
        amount: outcome === 'unfunded' ? 0n : e.amount,
        outcome,
        reason,
        by,
        verdict,
        validationId,
        nextDeadlineAt: state.dueAt ? iso(state.dueAt) : null,
        decidedAt: iso(now),
      }),
    ],
  }
}

/** Does what the facts demand in the present state. The same facts in another order end in the same state. */
export function advance(e: Escrow, moment: Moment): Result {
  if (e.status === 'none') return withoutMoney(e, moment)
  if (e.status !== 'locked' && e.status !== 'disputed') return { state: e, events: [] }
  const paid = payee(e)
  const judgement = judge(e, ruling(moment))
  const then =
    judgement.kind === 'settle'
      ? settle(paid.state, judgement, moment)
      : judgement.kind === 'hold'
        ? hold(paid.state, judgement, moment.now)
        : wait(paid.state, judgement)
  return { state: then.state, events: [...paid.events, ...then.events] }
}

const ruling = ({ now, timers }: Moment): Date => (timers ? now : new Date(0))

const wait = (e: Escrow, { until, action }: Extract<Judgement, { kind: 'wait' }>): Result => ({
  state: { ...e, dueAt: until, dueAction: action },
  events: [],
})

/** Nothing is locked: a verdict or the gig's end closes the escrow for good; what is frozen or weak is held first. */
function withoutMoney(e: Escrow, moment: Moment): Result {
  const { now } = moment
  const judgement = judge(e, ruling(moment))
  const { verdict } = standing(e)
  const close = (reason: Reason, by: By) => decide(move(e, 'decline', { dueAt: null, dueAction: null }), 'unfunded', reason, by, now)
  if (judgement.kind === 'settle') return close(judgement.reason, judgement.by)
  if (judgement.kind === 'wait') return verdict === 'approved' && e.assignment ? close('verdict', 'swarm') : { state: e, events: [] }
  if (verdict === 'expired') return close('no_consensus', 'swarm')
  const held: Escrow = { ...e, dueAt: judgement.until, dueAction: judgement.action }
  return e.decision?.outcome === 'hold' ? { state: held, events: [] } : decide(held, 'hold', judgement.reason, judgement.by, now)
}

/** Names the assignee to the contract once money and assignee are both there, and again after a failure. */
function payee(e: Escrow): Result {
  const { lock, assignment } = e
  if (!lock || !assignment || lock.stage !== 'confirmed' || (lock.payee === assignment.wallet && !lock.payeeFailed)) return { state: e, events: [] }
  const named: Lock = { ...lock, payee: assignment.wallet, payeeRound: lock.payeeRound + 1, payeeFailed: false }
  const { assigneeId } = assignment
  const command = commands.escrowPayee({ ...slot(e, lock), assigneeId, payee: named.payee, amount: e.amount, round: named.payeeRound })
  return { state: { ...e, lock: named }, events: [command] }
}

function hold(e: Escrow, judgement: Extract<Judgement, { kind: 'hold' }>, now: Date): Result {
  const { until, action, reason, by, note, disputed } = judgement
  const held: Escrow = { ...e, dueAt: until, dueAction: action }
  const isNew = disputed && e.status === 'locked'
  if (e.decision?.outcome === 'hold' && !isNew) return { state: held, events: [] }
  const decided = decide(isNew ? move(held, 'dispute', { disputedAt: now, disputeReason: note }) : held, 'hold', reason, by, now)
  if (!isNew) return decided
  const dispute = escrowDisputed.of({
    ...facts(e),
    reason: note,
    by,
    disputedBy: e.dispute?.agentId ?? null,
    deadlineAt: iso(until),
    disputedAt: iso(now),
  })
  return { state: decided.state, events: [...decided.events, dispute, commands.escrowDispute(slot(e, e.lock!))] }
}

/** Half of the net goes to the custodial wallet, the odd micro to the external one (behaviour 6.1, 18). */
export function shares(amount: bigint, feeBp: number, isSplit: boolean): Pick<Settlement, 'fee' | 'treasury' | 'external'> {
  const fee = feeOf(amount, feeBp)
  const treasury = isSplit ? (amount - fee) / 2n : 0n
  return { fee, treasury, external: amount - fee - treasury }
}

function settle(e: Escrow, judgement: Extract<Judgement, { kind: 'settle' }>, { now, splitTo }: Moment): Result {
  const { outcome, reason, by, failure } = judgement
  const isRelease = outcome === 'release'
  const parts = isRelease ? shares(e.amount, e.assignment!.feeBp, splitTo !== null) : { fee: 0n, treasury: 0n, external: 0n }
  const settlement: Settlement = {
    kind: outcome,
    round: 1,
    reason,
    by,
    failure: isRelease || !e.assignment ? null : failure,
    ...parts,
    treasuryAddress: parts.treasury > 0n ? splitTo : null,
    payoutLost: false,
    error: null,
    retryAt: null,
    approveRound: 0,
    txHash: null,
    blockNumber: null,
    settledAt: null,
  }
  const decided = decide(move(e, outcome, { settlement, dueAt: null, dueAction: null }), outcome, reason, by, now)
  return { state: decided.state, events: [...decided.events, settleCommand(e, settlement)] }
}

function settleCommand(e: Escrow, { kind, round, fee, treasury, treasuryAddress }: Settlement): Draft {
  const outcome =
    kind === 'refund' ? { kind } : { kind, fee, splitTo: treasuryAddress ?? zeroAddress, splitAmount: treasuryAddress === null ? 0n : treasury }
  return commands.escrowSettle({ ...slot(e, e.lock!), outcome, round })
}

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

export interface OnChain {
  txHash: string
  blockNumber: number
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

export interface Released extends OnChain {
  /** As the log says; undefined when the confirmation carries none. */
  paid?: { fee: bigint; net: bigint; treasury: bigint }
  posterScore: number
  assigneeScore: number
}

export function releaseConfirmed(e: Escrow, seen: Released, now: Date): Result | undefined {
  if (e.status !== 'releasing') return undefined
  const { paid, posterScore, assigneeScore, ...at } = seen
  const parts = paid ? { fee: paid.fee, treasury: paid.treasury, external: paid.net - paid.treasury } : {}
  const settlement: Settlement = { ...e.settlement!, ...parts, ...at, settledAt: now, retryAt: null, error: null }
  if (settlement.treasury === 0n) settlement.treasuryAddress = null
  const { verdict, validationId, weak } = standing(e)
  const { by, reason, fee, treasury, external, treasuryAddress } = settlement
  const isByVerdict = by === 'swarm' && verdict === 'approved'
  const released = escrowReleased.of({
    ...facts(e),
    assigneeId: e.assignment!.assigneeId,
    fundedFrom: fundedFrom(e.lock!),
    crewId: e.assignment!.crewId,
    skillsRequired: e.skillsRequired,
    feeBp: e.assignment!.feeBp,
    fee,
    net: treasury + external,
    split: { treasury, external, treasuryAddress, externalAddress: e.lock!.payee },
    ...at,
    by,
    verdict: receiptVerdict(settlement),
    validationId,
    weak: isByVerdict && weak,
    creditable: by !== 'time' && !(isByVerdict && weak),
    afterDispute: e.dispute !== null && reason !== 'default',
    posterScore,
    assigneeScore,
    settledAt: iso(now),
  })
  return { state: move(e, 'pay', { settlement }), events: [released] }
}

export const receiptVerdict = ({ by }: Pick<Settlement, 'by'>): 'APPROVED' | 'ORACLE' | 'DEFAULT' =>
  by === 'time' ? 'DEFAULT' : by === 'swarm' ? 'APPROVED' : 'ORACLE'

/** The payer has its money: by our refund, or by anybody after the contract's timeout. Seen while a release was under way, the payout is lost. */
export function refundSeen(e: Escrow, at: OnChain, now: Date): Result | undefined {
  if (next(e.status, 'lapse') === undefined) return undefined
  const payoutLost = e.status === 'releasing'
  const unasked: Settlement = {
    kind: 'refund',
    round: 0,
    reason: 'default',
    by: 'time',
    failure: null,
    fee: 0n,
    treasury: 0n,
    external: 0n,
    treasuryAddress: null,
    payoutLost: false,
    error: null,
    retryAt: null,
    approveRound: 0,
    txHash: null,
    blockNumber: null,
    settledAt: null,
  }
  const settlement: Settlement = { ...(e.settlement ?? unasked), ...at, payoutLost, settledAt: now, retryAt: null, error: null }
  const decided = e.settlement ? { state: e, events: [] } : decide(e, 'refund', 'default', 'time', now)
  const refunded = escrowRefunded.of({
    ...facts(e),
    fundedFrom: fundedFrom(e.lock!),
    ...at,
    reason: settlement.reason,
    by: settlement.by,
    failure: payoutLost ? null : settlement.failure,
    payoutLost,
    refundedAt: iso(now),
  })
  return { state: move(decided.state, 'lapse', { settlement, dueAt: null, dueAction: null }), events: [...decided.events, refunded] }
}

/** Five tries failed. A release marks the slot so that in the end the contract pays the payee; both are tried again the next night. */
export function settleFailed(e: Escrow, failure: { round: number; code: string; message: string }, now: Date): Result | undefined {
  const { settlement } = e
  if (!settlement || (e.status !== 'releasing' && e.status !== 'refunding') || failure.round < settlement.round) return undefined
  const retryAt = new Date(now.getTime() + retryAfter)
  const approveRound = settlement.kind === 'release' ? settlement.approveRound + 1 : 0
  const failed: Settlement = {
    ...settlement,
    round: failure.round,
    error: `${failure.code}: ${failure.message}`.slice(0, 500),
    retryAt,
    approveRound,
  }
  const events = approveRound > 0 ? [commands.escrowApprove({ ...slot(e, e.lock!), round: approveRound })] : []
  return { state: { ...e, settlement: failed, dueAt: retryAt, dueAction: 'retry' }, events }
}

export function payeeFailed(e: Escrow, round: number, now: Date): Result | undefined {
  if (!e.lock || round < e.lock.payeeRound || next(e.status, 'release') === undefined) return undefined
  const retryAt = new Date(now.getTime() + retryAfter)
  const dueAt = e.dueAt && e.dueAt < retryAt ? e.dueAt : retryAt
  return { state: { ...e, lock: { ...e.lock, payeeFailed: true, payeeRound: round }, dueAt }, events: [] }
}

/** What time does to an escrow that is due: failed commands go out again as the next round, everything else is judged anew. */
export function onTime(e: Escrow, moment: Moment): Result | undefined {
  if (e.dueAt === null || e.dueAt > moment.now) return undefined
  if (!e.settlement?.retryAt) return advance(e, moment)
  const named = payee(e)
  const settlement: Settlement = { ...e.settlement, round: e.settlement.round + 1, retryAt: null }
  const state: Escrow = { ...named.state, settlement, dueAt: null, dueAction: null }
  return { state, events: [...named.events, settleCommand(state, settlement)] }
}
