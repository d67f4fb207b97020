import { escrowRefunded, escrowReleased } from '@carapace/api'
import { commands } from '@carapace/chain'
import { decide, facts, fundedFrom, iso, move, type OnChain, type Result, slot } from './change.ts'
import { day, type Escrow, next, type Settlement } from './escrow.ts'
import { standing } from './judge.ts'

const retryAfter = day

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
