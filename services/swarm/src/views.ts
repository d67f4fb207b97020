import type * as api from '@carapace/api'
import { usd } from '@carapace/api'
import type { AgentRef } from '@carapace/projections'
import { pollDeadline } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { awaitedOf } from './awaits.ts'
import { type Claim, claimable, type Reward, stateOf } from './reward/reward.ts'
import { approvalPct, approvals, rejections, seated, type Validation, type Vote } from './validation/validation.ts'

type Refs = (id: string) => AgentRef

/** The chain part of a vote, or of a validation by its latest vote. */
export const onChainOf = (vote: Vote | undefined, chain: api.Chain) => ({
  status: vote?.status ?? ('none' as const),
  chain,
  txHash: vote?.txHash ?? null,
  blockNumber: vote?.blockNumber ?? null,
  error: vote?.error ?? null,
})

/** The reader of a validation: the appeal is only for its parties and judges. */
export interface Viewer {
  agentId?: string
  isOracle?: boolean
}

/** @param now platform clock */
export function validationView(v: Stored<Validation>, refs: Refs, now: Date, viewer: Viewer = {}): api.Validation {
  const voted = new Set(v.votes.map(vote => vote.voterId))
  return {
    id: v.id,
    gigId: v.gigId,
    jobId: v.jobId,
    gigTitle: v.title,
    chain: v.chain,
    status: v.status,
    voteCount: v.votes.length,
    approvalCount: approvals(v),
    rejectionCount: rejections(v),
    approvalPct: approvalPct(v),
    consensusReached: v.status === 'approved' || v.status === 'rejected',
    approved: v.status === 'approved',
    quorumRequired: v.threshold,
    bondSlashFrozen: v.frozen,
    disputeReason: v.disputeReason,
    validators: v.panel.map(({ agentId, replaced }) => ({ id: agentId, handle: refs(agentId).handle, voted: voted.has(agentId), replaced })),
    threshold: v.threshold,
    candidateCount: v.candidateCount,
    round: v.round,
    parentValidationId: v.parentValidationId,
    appealId: v.appealId,
    appeal: isConcerned(v, viewer) ? appealView(v) : null,
    weak: v.weak,
    oracleAssisted: v.oracleAssisted,
    expiresAt: v.expiresAt.toISOString(),
    resolvedAt: v.resolvedAt?.toISOString() ?? null,
    createdAt: v.createdAt.toISOString(),
    onChain: onChainOf(v.votes.at(-1), v.chain),
    nextDeadline: deadlineOf(v, now),
  }
}

/** What happens first by time alone: an edge of its states, or the next poll of a command that is on its way to the chain. */
function deadlineOf(v: Stored<Validation>, now: Date): api.NextDeadline {
  const polls = awaitedOf(v).map(({ since }) => pollDeadline(since, now))
  const edges = v.dueAt ? [{ at: v.dueAt.toISOString(), action: dueAction(v) }] : []
  return [...polls, ...edges].sort((a, b) => a.at.localeCompare(b.at))[0] ?? null
}

const dueAction = ({ status, replaceAt }: Validation): string => (status === 'expired' ? 'redraw' : replaceAt ? 'replace' : 'expire')

/** As with the deliverable of the gig: its parties, those who judge now, and the oracle. */
function isConcerned(v: Validation, { agentId, isOracle = false }: Viewer): boolean {
  if (isOracle || agentId === v.posterId || agentId === v.assigneeId) return true
  return v.appealOf !== null && seated(v).some(seat => seat.agentId === agentId)
}

const appealView = ({ appeal }: Validation): api.Validation['appeal'] => (appeal ? { ...appeal, filedAt: appeal.filedAt.toISOString() } : null)

/** `reasoning` stays hidden until the validation is resolved: votes must not follow each other. */
export const voteView = (vote: Vote, v: Validation) => ({
  id: vote.id,
  validatorId: vote.voterId,
  vote: vote.vote,
  createdAt: vote.at.toISOString(),
  reasoning: v.status === 'pending' ? null : vote.reasoning,
  txHash: vote.txHash ?? null,
})

export const resolutionView = (v: Validation) =>
  v.status === 'pending' ? null : { status: v.status, approved: v.status === 'approved', bondSlashFrozen: v.frozen, disputeReason: v.disputeReason }

/**
 * @param claims under way
 * @param now platform clock
 */
export const rewardView = (reward: Stored<Reward>, claims: readonly Stored<Claim>[], now: Date) => {
  const state = stateOf(reward)
  const isUnfunded = reward.fundedAt === null && !reward.isFundingOver
  const claim = claims.find(({ id }) => state === 'claiming' && id === reward.claimId)
  const amount =
    state === 'accrued' ? reward.accrued : state === 'claiming' ? reward.claiming : state === 'claimed' ? reward.claimed : claimable(reward)
  return {
    validationId: reward.validationId,
    gigId: reward.gigId,
    gigTitle: reward.gigTitle,
    chain: reward.chain,
    amount: usd(amount),
    state,
    accruedAt: reward.accruedAt.toISOString(),
    nextDeadline: claim ? pollDeadline(claim.updatedAt, now) : isUnfunded ? pollDeadline(reward.createdAt, now) : null,
  }
}

export const validationRow = (v: Stored<Validation>): api.ValidationRow => ({
  validationId: v.id,
  gigId: v.gigId,
  jobId: v.jobId,
  submissionId: v.submissionId,
  title: v.title,
  posterId: v.posterId,
  assigneeId: v.assigneeId,
  budget: String(v.budget),
  chain: v.chain,
  round: v.round,
  parentValidationId: v.parentValidationId,
  appealOf: v.appealOf,
  nextValidationId: v.nextValidationId,
  status: v.status,
  candidateCount: v.candidateCount,
  threshold: v.threshold,
  weak: v.weak,
  oracleAssisted: v.oracleAssisted,
  frozen: v.frozen,
  disputeReason: v.disputeReason,
  panel: seated(v).map(seat => seat.agentId),
  votes: v.votes.map(({ voterId, vote }) => ({ voterId, vote })),
  approvals: approvals(v),
  rejections: rejections(v),
  approvalPct: approvalPct(v),
  expiresAt: v.expiresAt.toISOString(),
  resolvedAt: v.resolvedAt?.toISOString() ?? null,
  settleAfter: v.settleAfter?.toISOString() ?? null,
  appealUntil: v.appealUntil?.toISOString() ?? null,
  ...(v.appealId ? { appealId: v.appealId } : {}),
  ...(v.appealExpiresAt ? { appealExpiresAt: v.appealExpiresAt.toISOString() } : {}),
  version: v.version,
})
