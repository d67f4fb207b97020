import * as api from '@carapace/api'
import { type Chain, type Draft, limits, refuse, type ValidationStatus } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type Freeze, freezeOf, type Signal } from './freeze.ts'
import { isWeak, majority, quorumFor } from './quorum.ts'
import type { Seat } from './selection.ts'

export interface Vote {
  id: string
  voterId: string
  vote: 'approve' | 'reject'
  reasoning: string | null
  at: Date
  /** How far its record on chain is. */
  status: 'pending' | 'confirmed' | 'failed'
  txHash: string | null
  blockNumber: number | null
  error: string | null
}
export interface PanelSeat {
  agentId: string
  wallet: string
  replaced: boolean
}

export interface Appeal {
  statement: string
  deliverableUrl: string
  filedAt: Date
}

export interface Validation {
  id: string
  gigId: string | null
  jobId: string | null
  submissionId: string
  title: string
  posterId: string
  assigneeId: string
  /** Wallets of poster, assignee and its crew: refused as validators by the contract too. */
  partyWallets: string[]
  /** micro-USDC */
  budget: bigint
  chain: Chain
  round: 1 | 2
  parentValidationId: string | null
  appealOf: string | null
  /** Of an appeal: the first verdict was that of a weak panel. */
  firstWeak: boolean
  appealId: string | null
  /** What the assignee says: with the rejected validation, and with the one of the panel that hears it. */
  appeal: Appeal | null
  /** When the window of its appeal ends, whoever decides it. */
  appealExpiresAt: Date | null
  status: ValidationStatus
  candidateCount: number
  threshold: number
  weak: boolean
  oracleAssisted: boolean
  /** Numbers set by POST /api/swarm/validate: once. */
  numbersSet: boolean
  beacon: string
  /** How many may judge, and in drawing order those of them who can come to a panel: both fixed at the submission. */
  eligible: number
  order: Seat[]
  panel: PanelSeat[]
  votes: Vote[]
  frozen: boolean
  signals: Signal[]
  disputeReason: string | null
  expiresAt: Date
  /** When those who have not voted are replaced; null once done. */
  replaceAt: Date | null
  resolvedAt: Date | null
  appealUntil: Date | null
  settleAfter: Date | null
  nextValidationId: string | null
  /** When time alone moves it on; null in final states. */
  dueAt: Date | null
}

const hour = 3_600_000
export const windowMs = 72 * hour
export const replaceAfterMs = 36 * hour

export const seated = (validation: Validation): PanelSeat[] => validation.panel.filter(seat => !seat.replaced)
export const approvals = (validation: Validation): number => validation.votes.filter(vote => vote.vote === 'approve').length
export const rejections = (validation: Validation): number => validation.votes.length - approvals(validation)
/** 100·a / votes, one decimal; 0 without votes. */
export const approvalPct = (validation: Validation): number =>
  validation.votes.length ? Math.round((1000 * approvals(validation)) / validation.votes.length) / 10 : 0

export const facts = (v: Validation) => ({
  validationId: v.id,
  gigId: v.gigId,
  jobId: v.jobId,
  title: v.title,
  posterId: v.posterId,
  assigneeId: v.assigneeId,
  budget: v.budget,
  chain: v.chain,
  round: v.round,
  appealOf: v.appealOf,
})
const quorum = ({ candidateCount, threshold, weak, oracleAssisted }: Validation) => ({ candidateCount, threshold, weak, oracleAssisted })
const tally = (v: Validation) => ({
  panel: seated(v).map(seat => seat.agentId),
  votes: v.votes.map(({ voterId, vote }) => ({ voterId, vote })),
  approvals: approvals(v),
  rejections: rejections(v),
  approvalPct: approvalPct(v),
})
export const rewardOf = (v: Validation): bigint => quorumFor(v.budget).rewardPerValidator

export function open(v: Validation): { state: Validation; events: Draft[] } {
  const { submissionId, parentValidationId, expiresAt } = v
  return {
    state: v,
    events: [
      api.validationOpened.of({
        ...facts(v),
        ...quorum(v),
        submissionId,
        parentValidationId,
        panel: seated(v).map(seat => seat.agentId),
        rewardPerValidator: rewardOf(v),
        expiresAt: expiresAt.toISOString(),
      }),
    ],
  }
}

/** Other numbers, once and before any vote. `panel` is drawn from the same fixed order. */
export function renumber(v: Validation, candidateCount: number, threshold: number, panel: PanelSeat[]): Decision<Validation> {
  if (v.numbersSet || v.votes.length > 0 || v.status !== 'pending' || v.round !== 1 || v.appealOf !== null)
    refuse('ALREADY_EXISTS', { validationId: v.id })
  if (threshold < 1 || threshold > candidateCount || panel.length !== candidateCount)
    throw new RangeError(`${candidateCount}/${threshold} approves nothing`)
  const before = new Set(seated(v).map(seat => seat.agentId))
  const after = new Set(panel.map(seat => seat.agentId))
  const state = {
    ...v,
    candidateCount,
    threshold,
    panel,
    numbersSet: true,
    oracleAssisted: false,
    weak: isWeak({ candidateCount, threshold }, v.budget),
  }
  return {
    state,
    events: [
      panelChanged(
        state,
        [...after].filter(id => !before.has(id)),
        [...before].filter(id => !after.has(id)),
      ),
    ],
  }
}

function panelChanged(v: Validation, added: string[], removed: string[]): Draft {
  return api.panelChanged.of({
    ...facts(v),
    ...quorum(v),
    panel: seated(v).map(seat => seat.agentId),
    added,
    removed,
    rewardPerValidator: rewardOf(v),
    expiresAt: v.expiresAt.toISOString(),
  })
}

/** What is known when a verdict falls: for freeze signals and the wait before a release. */
export interface VerdictFacts {
  crewsOf(agentId: string): readonly string[]
  registeredAt(agentId: string): Date
  /** How long the release waits after an approval by these voters (behaviour 5.2): a day if most of them are unproven, 0 on devnets. */
  waitMs(approvers: readonly string[]): number
  /** Id for a second round, should there be one. */
  nextId: string
}

/** One vote, with the verdict it may bring. @throws VALIDATION_RESOLVED, NOT_VALIDATOR, ALREADY_VOTED */
export function cast(v: Validation, vote: Pick<Vote, 'id' | 'voterId' | 'vote' | 'reasoning'>, known: VerdictFacts, now: Date): Decision<Validation> {
  const isSeated = v.panel.some(seat => seat.agentId === vote.voterId && !seat.replaced)
  if (!isSeated) refuse('NOT_VALIDATOR')
  if (v.votes.some(earlier => earlier.voterId === vote.voterId)) refuse('ALREADY_VOTED')
  if (v.status !== 'pending' || v.expiresAt <= now) refuse('VALIDATION_RESOLVED', { status: v.status })
  const voted: Validation = { ...v, votes: [...v.votes, { ...vote, at: now, status: 'pending', txHash: null, blockNumber: null, error: null }] }
  const recorded = api.voteRecorded.of({
    validationId: v.id,
    gigId: v.gigId,
    jobId: v.jobId,
    voteId: vote.id,
    voterId: vote.voterId,
    vote: vote.vote,
    castAt: now.toISOString(),
  })
  const verdict = verdictOf(voted)
  const after =
    verdict === undefined
      ? { state: voted, events: [] }
      : verdict === 'expired'
        ? expire(voted, known.nextId, now)
        : resolve(voted, verdict, known, now)
  return { state: after.state, events: [recorded, ...after.events] }
}

/** Consensus (behaviour 5.2): a high threshold cannot reject alone, a rejection needs more than half of the panel. */
export function verdictOf(v: Validation): 'approved' | 'rejected' | 'expired' | undefined {
  const n = v.candidateCount
  const a = approvals(v)
  const r = rejections(v)
  if (a >= v.threshold && a > r) return 'approved'
  if (r >= Math.max(n - v.threshold + 1, majority(n))) return 'rejected'
  if (v.votes.length < n) return undefined
  return r > n / 2 ? 'rejected' : 'expired'
}

function resolve(v: Validation, verdict: 'approved' | 'rejected', known: VerdictFacts, now: Date): Decision<Validation> {
  const freeze: Freeze = verdict === 'rejected' ? freezeAt(v, known, now) : { signals: [], reason: null }
  const frozen = freeze.signals.length > 0 && v.appealOf === null
  const waitMs = verdict === 'approved' ? known.waitMs(v.votes.filter(vote => vote.vote === 'approve').map(vote => vote.voterId)) : 0
  const state: Validation = {
    ...v,
    status: verdict,
    frozen,
    signals: freeze.signals,
    disputeReason: frozen ? freeze.reason : null,
    resolvedAt: now,
    appealUntil: frozen ? new Date(now.getTime() + limits.appealWindow * 1000) : null,
    settleAfter: waitMs > 0 ? new Date(now.getTime() + waitMs) : null,
    replaceAt: null,
    dueAt: null,
  }
  return {
    state,
    events: [
      resolvedEvent(state, now),
      ...(frozen ? [frozenEvent(state)] : []),
      ...(v.appealOf === null ? [] : [appealEvent(state, verdict === 'approved' ? 'won' : 'lost', freeze, now)]),
    ],
  }
}

function freezeAt(v: Validation, known: VerdictFacts, now: Date): Freeze {
  const wanted = quorumFor(v.budget)
  return freezeOf({
    rejecterCrews: v.votes.filter(vote => vote.vote === 'reject').map(vote => known.crewsOf(vote.voterId)),
    voterRegisteredAt: v.votes.map(vote => known.registeredAt(vote.voterId)),
    weak: v.weak,
    quorumText: `${v.candidateCount}/${v.threshold} is below the quorum ${wanted.candidateCount}/${wanted.threshold}`,
    resolvedAt: now,
  })
}

function resolvedEvent(v: Validation, now: Date): Draft {
  const verdict = v.status as 'approved' | 'rejected'
  const winning = verdict === 'approved' ? 'approve' : 'reject'
  return api.validationResolved.of({
    ...facts(v),
    ...quorum(v),
    ...tally(v),
    submissionId: v.submissionId,
    verdict,
    frozen: v.frozen,
    disputeReason: v.disputeReason,
    winners: v.votes.filter(vote => vote.vote === winning).map(vote => vote.voterId),
    rewardPerValidator: rewardOf(v),
    settleAfter: v.settleAfter?.toISOString() ?? null,
    appealUntil: v.appealUntil?.toISOString() ?? null,
    resolvedAt: now.toISOString(),
  })
}

const frozenEvent = (v: Validation): Draft =>
  api.slashFrozen.of({
    ...facts(v),
    weak: v.weak,
    signals: v.signals,
    reason: v.disputeReason ?? '',
    appealUntil: v.appealUntil?.toISOString() ?? null,
  })

/** The slash is applied only when the appeal is rejected and no signal fires again (behaviour 5.3). */
function appealEvent(v: Validation, outcome: 'won' | 'lost' | 'expired', freeze: Freeze, now: Date): Draft {
  return api.appealClosed.of({
    ...facts(v),
    validationId: v.appealOf!,
    appealOf: v.appealOf,
    appealId: v.id,
    outcome,
    applySlash: outcome === 'lost' && freeze.signals.length === 0 && !v.firstWeak,
    approvals: approvals(v),
    rejections: rejections(v),
    approvalPct: approvalPct(v),
    weak: v.weak,
    closedAt: now.toISOString(),
  })
}

/** The window is over: a majority of rejections still rejects, else there is no verdict. */
export function runOut(v: Validation, known: VerdictFacts, now: Date): Decision<Validation> | undefined {
  if (v.status !== 'pending' || v.expiresAt > now) return undefined
  if (rejections(v) > v.candidateCount / 2) return resolve(v, 'rejected', known, now)
  return expire(v, known.nextId, now)
}

/** No verdict. `nextId` names the second round where there is one; it is opened from this record (`dueAt`). */
function expire(v: Validation, nextId: string, now: Date): Decision<Validation> {
  const final = !hasSecondRound(v)
  const nextValidationId = final ? null : nextId
  const state: Validation = { ...v, status: 'expired', resolvedAt: now, replaceAt: null, nextValidationId, dueAt: final ? null : now }
  const event = api.validationExpired.of({
    ...facts(v),
    ...quorum(v),
    ...tally(v),
    submissionId: v.submissionId,
    final,
    nextValidationId,
    expiredAt: now.toISOString(),
  })
  return { state, events: [event, ...(v.appealOf === null ? [] : [appealEvent(state, 'expired', { signals: [], reason: null }, now)])] }
}

/** A gig has two rounds, an appeal and a job one. */
export const hasSecondRound = (v: Validation): boolean => v.round === 1 && v.appealOf === null && v.jobId === null

/** Replaces those who have not voted by the next of the order, n unchanged. */
export function replaceIdle(
  v: Validation,
  substitutes: PanelSeat[],
): { decision: Decision<Validation>; replacements: { out: PanelSeat; in: PanelSeat }[] } {
  const voted = new Set(v.votes.map(vote => vote.voterId))
  const idle = seated(v).filter(seat => !voted.has(seat.agentId))
  const replacements = substitutes.slice(0, idle.length).map((substitute, at) => ({ out: idle[at]!, in: substitute }))
  const outs = new Set(replacements.map(pair => pair.out.agentId))
  const panel = [...v.panel.map(seat => (outs.has(seat.agentId) ? { ...seat, replaced: true } : seat)), ...replacements.map(pair => pair.in)]
  const state = { ...v, panel, replaceAt: null, dueAt: v.expiresAt }
  const events = replacements.length
    ? [
        panelChanged(
          state,
          replacements.map(pair => pair.in.agentId),
          [...outs],
        ),
      ]
    : []
  return { decision: { state, events }, replacements }
}

/** The second round is open: nothing is due here any more. */
export function nextOpened(v: Validation): Decision<Validation> | undefined {
  return v.dueAt === null ? undefined : { state: { ...v, dueAt: null }, events: [] }
}

/** @throws NOT_ASSIGNEE, INVALID_STATE, WINDOW_CLOSED, ALREADY_EXISTS */
export function needAppealable(v: Validation, caller: string, now: Date): void {
  if (v.assigneeId !== caller) refuse('NOT_ASSIGNEE')
  if (v.status !== 'rejected' || !v.frozen)
    refuse('INVALID_STATE', { state: v.status, allowed: ['rejected and frozen'] }, { message: 'Only a frozen rejection can be appealed' })
  if (v.appealId !== null) refuse('ALREADY_EXISTS', { appealId: v.appealId })
  if (v.appealUntil! < now) refuse('WINDOW_CLOSED', { appealUntil: v.appealUntil!.toISOString() })
}

/** The assignee appeals. @throws NOT_ASSIGNEE, INVALID_STATE, WINDOW_CLOSED, ALREADY_EXISTS */
export function fileAppeal(
  v: Validation,
  caller: string,
  filed: { id: string; appeal: Appeal; oracleAssisted: boolean; expiresAt: Date },
): Decision<Validation> {
  const { id: appealId, appeal, oracleAssisted, expiresAt } = filed
  needAppealable(v, caller, appeal.filedAt)
  return {
    state: { ...v, appealId, appeal, appealExpiresAt: expiresAt },
    events: [api.appealFiled.of({ ...facts(v), appealId, oracleAssisted, expiresAt: expiresAt.toISOString() })],
  }
}

/** What the chain did to a vote's record. */
export function voteOnChain(
  v: Validation,
  voteId: string,
  outcome: Pick<Vote, 'status' | 'txHash' | 'blockNumber' | 'error'>,
): Decision<Validation> | undefined {
  const vote = v.votes.find(entry => entry.id === voteId)
  if (!vote || vote.status === 'confirmed') return undefined
  return { state: { ...v, votes: v.votes.map(entry => (entry === vote ? { ...entry, ...outcome } : entry)) }, events: [] }
}
