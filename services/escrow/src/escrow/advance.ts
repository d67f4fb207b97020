import { escrowDisputed, feeOf } from '@carapace/api'
import { sentOnChain } from '@carapace/chain'
import { disputeCommand, payeeCommand, settleCommand } from './commands.ts'
import { type Assignment, type By, type Escrow, type Lock, newSettlement, type Reason, type Settlement } from './escrow.ts'
import { effectiveVerdict, type Judgement, judge } from './judgement.ts'
import { decide, facts, iso, move, type Result } from './transition.ts'

export interface Moment {
  now: Date
  /**
   * Whether a time that has passed may decide. Not while facts are recorded: after a standstill the next event may be the appeal that the deadline
   * waits for, so only the job decides by time, and it queries the swarm first.
   */
  timers: boolean
  /** The assignee's custodial wallet, if it has one: half of the net goes there. Absent: not read yet, because few facts end in a payout. */
  splitTo?: string | null
}

/** A payout needs to know whether its payee has a custodial wallet. */
export class SplitUnread extends Error {
  readonly assigneeId: string
  constructor(assigneeId: string) {
    super(`The custodial wallet of ${assigneeId} is not read yet`)
    this.assigneeId = assigneeId
  }
}

/**
 * Does what the facts demand in the present state. The same facts in another order end in the same state.
 * @throws SplitUnread
 */
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
  const { verdict } = effectiveVerdict(e)
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
  if (!lock || !assignment || lock.stage !== 'confirmed' || isNamed(lock, assignment)) return { state: e, events: [] }
  const { round = 0, seq = 0 } = lock.payeeOnChain ?? {}
  const named: Lock = { ...lock, payee: assignment.wallet, payeeOnChain: { ...sentOnChain, round: round + 1, seq } }
  return { state: { ...e, lock: named }, events: [payeeCommand(e, named, assignment.assigneeId)] }
}

/** What the depositor of a direct lock has named does not count: records from before that rule have it as the payee all the same. */
const isNamed = ({ kind, payee, payeeOnChain }: Lock, { wallet }: Assignment): boolean =>
  payee === wallet && (payeeOnChain ? payeeOnChain.status !== 'failed' : kind !== 'onchain')

function hold(e: Escrow, judgement: Extract<Judgement, { kind: 'hold' }>, now: Date): Result {
  const { until, action, reason, by, note, disputed } = judgement
  const held: Escrow = { ...e, dueAt: until, dueAction: action }
  const isNew = disputed && e.status === 'locked'
  if (e.decision?.outcome === 'hold' && !isNew) return { state: held, events: [] }
  // it was published before the lock's block was dropped
  if (isNew && e.disputedAt) return { state: move(held, 'dispute', {}), events: [] }
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
  return { state: decided.state, events: [...decided.events, dispute, disputeCommand(e)] }
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
  if (isRelease && splitTo === undefined) throw new SplitUnread(e.assignment!.assigneeId)
  const parts = isRelease ? shares(e.amount, e.assignment!.feeBp, typeof splitTo === 'string') : { fee: 0n, treasury: 0n, external: 0n }
  const settlement = newSettlement({
    kind: outcome,
    reason,
    by,
    ...parts,
    failure: isRelease || !e.assignment ? null : failure,
    treasuryAddress: parts.treasury > 0n ? splitTo! : null,
  })
  const decided = decide(move(e, outcome, { settlement, dueAt: null, dueAction: null }), outcome, reason, by, now)
  return { state: decided.state, events: [...decided.events, settleCommand(e, settlement)] }
}

/** What time does to an escrow that is due: failed commands go out again as the next round, everything else is judged again. */
export function onTime(e: Escrow, moment: Moment): Result | undefined {
  if (e.dueAt === null || e.dueAt > moment.now) return undefined
  if (!e.settlement?.retryAt) return advance(e, moment)
  const named = payee(e)
  const { onChain } = e.settlement
  const settlement: Settlement = { ...e.settlement, onChain: { ...onChain, status: 'pending', round: onChain.round + 1 }, retryAt: null }
  const state: Escrow = { ...named.state, settlement, dueAt: null, dueAction: null }
  return { state, events: [...named.events, settleCommand(state, settlement)] }
}
