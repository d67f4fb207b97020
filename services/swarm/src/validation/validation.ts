import { type Chain, type Draft, hourMs, type PayloadOf, type ValidationStatus, validationOpened, type validationSuperseded } from '@carapace/api'
import type { OnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { isWeak, quorumFor } from '../selection/quorum.ts'
import type { Seat } from '../selection/selection.ts'
import type { Signal } from './freeze.ts'
import { validationStates } from './validation-states.ts'

/** A vote and how far its record on chain is. */
export interface Vote extends OnChain {
  id: string
  voterId: string
  vote: 'approve' | 'reject'
  reasoning: string | null
  at: Date
}
export interface PanelSeat {
  agentId: string
  wallet: string
  replaced: boolean
  /** The command that puts another wallet in its place on chain; absent when none was sent. */
  replacement?: OnChain
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
  /** Of the job when this was delivered: what it decided before says nothing about it. Absent in early records. */
  jobVersion?: number
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
  /** The statement of the assignee: stored with the rejected validation and with the one that judges the appeal. */
  appeal: Appeal | null
  /** When the window of its appeal ends, with a panel or with the oracle. */
  appealExpiresAt: Date | null
  status: ValidationStatus
  /** How the gig was decided otherwise; set once superseded. */
  gigOutcome?: PayloadOf<typeof validationSuperseded>['outcome']
  candidateCount: number
  threshold: number
  weak: boolean
  /** Fewer than three may judge: those on the panel advise the oracle, which decides. */
  oracleAssisted: boolean
  /** Numbers set by POST /api/swarm/validate: once. */
  numbersSet: boolean
  beacon: string
  /** How many may judge, and in drawing order those of them who can come to a panel: both fixed at the submission. */
  eligible: number
  order: Seat[]
  panel: PanelSeat[]
  /** The command that puts the panel on chain, sent with the first vote; absent before. */
  opening?: OnChain
  /** Where its panel was opened; absent: on the first SwarmValidator. */
  contract?: string
  votes: Vote[]
  /** Seats without a vote, derived by the store for queries. */
  owing?: string[]
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
  /** The escrow of its gig has not confirmed that it knows the end. */
  isVerdictOpen?: true
}

export const windowMs = 72 * hourMs
export const replaceAfterMs = 36 * hourMs

type Drawn = 'id' | 'candidateCount' | 'threshold' | 'beacon' | 'eligible' | 'order' | 'panel'
type Submitted = 'gigId' | 'submissionId' | 'title' | 'posterId' | 'assigneeId' | 'partyWallets' | 'budget' | 'chain'

/** A validation whose panel has just been drawn; unless it says otherwise the first one of its submission. */
export function newValidation(drawn: Pick<Validation, Drawn | Submitted> & Partial<Validation>, now: Date): Validation {
  const replaceAt = new Date(now.getTime() + replaceAfterMs)
  return {
    jobId: null,
    round: 1,
    parentValidationId: null,
    appealOf: null,
    firstWeak: false,
    appealId: null,
    appeal: null,
    appealExpiresAt: null,
    status: validationStates.initial,
    weak: isWeak(drawn, drawn.budget),
    oracleAssisted: false,
    numbersSet: false,
    votes: [],
    frozen: false,
    signals: [],
    disputeReason: null,
    expiresAt: new Date(now.getTime() + windowMs),
    replaceAt,
    resolvedAt: null,
    appealUntil: null,
    settleAfter: null,
    nextValidationId: null,
    dueAt: replaceAt,
    ...drawn,
  }
}

export const seated = (validation: Validation): PanelSeat[] => validation.panel.filter(seat => !seat.replaced)
/** Seats that have not voted. */
export function idle(validation: Validation): PanelSeat[] {
  const voted = new Set(validation.votes.map(vote => vote.voterId))
  return seated(validation).filter(({ agentId }) => !voted.has(agentId))
}
/** Who has yet to vote; nobody once it is decided. */
export const owingOf = (validation: Validation): string[] => (validation.status === 'pending' ? idle(validation).map(({ agentId }) => agentId) : [])
/** The votes of a validation, without what else is known of it. */
export interface Tallied {
  votes: readonly Pick<Vote, 'vote'>[]
}
export const approvals = (validation: Tallied): number => validation.votes.filter(vote => vote.vote === 'approve').length
export const rejections = (validation: Tallied): number => validation.votes.length - approvals(validation)
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
export const quorum = ({ candidateCount, threshold, weak, oracleAssisted }: Validation) => ({ candidateCount, threshold, weak, oracleAssisted })
export const tally = (v: Validation) => ({
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
      validationOpened.of({
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

/** The second round is open: nothing is due here any more. */
export function nextOpened(v: Validation): Decision<Validation> | undefined {
  return v.dueAt === null ? undefined : { state: { ...v, dueAt: null }, events: [] }
}
