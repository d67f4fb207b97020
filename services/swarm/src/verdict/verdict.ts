import * as api from '@carapace/api'
import { type Chain, type Draft, limits, refuse } from '@carapace/api'
import { contractField, sentOnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { majority, type Quorum, quorumFor } from '../selection/quorum.ts'
import { type Freeze, freezeOf } from '../validation/freeze.ts'
import { approvals, facts, quorum, rejections, rewardOf, type Tallied, tally, type Validation, type Vote } from '../validation/validation.ts'
import { validationStates } from '../validation/validation-states.ts'
import { winnersOf } from '../validation/winners.ts'
import { appealEvent } from './appeal.ts'

/** What is known when a verdict falls: for freeze signals and the wait before a release. */
export interface VerdictFacts {
  crewsOf(agentId: string): readonly string[]
  registeredAt(agentId: string): Date
  /** Where panels are opened now; undefined: on the first SwarmValidator. */
  opensOn(chain: Chain): string | undefined
  /** How long the release waits after an approval by these voters (behaviour 5.2): a day if most of them are unproven, 0 on devnets. */
  waitMs(approvers: readonly string[]): number
  /** Id for a second round, should there be one. */
  nextId: string
}

/** One vote, with the verdict that it may cause; that of an adviser is only recorded (behaviour 5.1). @throws VALIDATION_RESOLVED, NOT_VALIDATOR, ALREADY_VOTED */
export function castVote(
  v: Validation,
  vote: Pick<Vote, 'id' | 'voterId' | 'vote' | 'reasoning'>,
  facts: VerdictFacts,
  now: Date,
): Decision<Validation> {
  const isSeated = v.panel.some(seat => seat.agentId === vote.voterId && !seat.replaced)
  if (!isSeated) refuse('NOT_VALIDATOR')
  if (v.votes.some(earlier => earlier.voterId === vote.voterId)) refuse('ALREADY_VOTED')
  if (v.status !== 'pending' || v.expiresAt <= now) refuse('VALIDATION_RESOLVED', { status: v.status })
  const voted: Validation = {
    ...v,
    ...(v.votes.length > 0 ? {} : openedOn(facts.opensOn(v.chain))),
    votes: [...v.votes, { ...vote, ...sentOnChain, at: now }],
  }
  const recorded = api.voteRecorded.of({
    validationId: v.id,
    gigId: v.gigId,
    jobId: v.jobId,
    voteId: vote.id,
    voterId: vote.voterId,
    vote: vote.vote,
    castAt: now.toISOString(),
  })
  const verdict = voted.oracleAssisted ? undefined : verdictOf(voted)
  const after =
    verdict === undefined
      ? { state: voted, events: [] }
      : verdict === 'expired'
        ? expire(voted, facts.nextId, now)
        : resolve(voted, verdict, facts, now)
  return { state: after.state, events: [recorded, ...after.events] }
}

/** Its panel goes on chain. @param contract undefined: the first one */
const openedOn = (contract: string | undefined): Pick<Validation, 'opening' | 'contract'> => ({
  opening: sentOnChain,
  ...contractField(contract),
})

/** Consensus (behaviour 5.2): a high threshold cannot reject alone, a rejection needs more than half of the panel. */
export function verdictOf(v: Tallied & Quorum): 'approved' | 'rejected' | 'expired' | undefined {
  const n = v.candidateCount
  const a = approvals(v)
  const r = rejections(v)
  if (a >= v.threshold && a > r) return 'approved'
  if (r >= Math.max(n - v.threshold + 1, majority(n))) return 'rejected'
  if (v.votes.length < n) return undefined
  return r > n / 2 ? 'rejected' : 'expired'
}

function resolve(v: Validation, verdict: 'approved' | 'rejected', facts: VerdictFacts, now: Date): Decision<Validation> {
  const freeze: Freeze = verdict === 'rejected' ? freezeAt(v, facts, now) : { signals: [], reason: null }
  const frozen = freeze.signals.length > 0 && v.appealOf === null
  const waitMs = verdict === 'approved' ? facts.waitMs(v.votes.filter(vote => vote.vote === 'approve').map(vote => vote.voterId)) : 0
  const state: Validation = {
    ...v,
    status: validationStates.move(v.status, verdict === 'approved' ? 'approve' : 'reject'),
    frozen,
    signals: freeze.signals,
    disputeReason: frozen ? freeze.reason : null,
    resolvedAt: now,
    appealUntil: frozen && v.gigId !== null ? new Date(now.getTime() + limits.appealWindowMs) : null,
    settleAfter: waitMs > 0 ? new Date(now.getTime() + waitMs) : null,
    replaceAt: null,
    dueAt: null,
    ...openVerdict(v),
  }
  // a job has no bond that could be slashed
  return { state, events: [...endEvents(state), ...(frozen && v.gigId !== null ? [frozenEvent(state)] : [])] }
}

const openVerdict = ({ gigId }: Validation) => (gigId === null ? {} : { isVerdictOpen: true as const })

/** What its end means for the money, as it was published. */
export const endEvents = (v: Validation): Draft[] => [
  v.status === 'expired' ? expiredEvent(v) : resolvedEvent(v),
  ...(v.appealOf === null ? [] : [appealEvent(v)]),
]

/** The escrow knows the end. */
export function closeVerdict({ isVerdictOpen, ...v }: Validation): Decision<Validation> | undefined {
  return isVerdictOpen ? { state: v, events: [] } : undefined
}

function freezeAt(v: Validation, facts: VerdictFacts, now: Date): Freeze {
  const wanted = quorumFor(v.budget)
  return freezeOf({
    rejecterCrews: v.votes.filter(vote => vote.vote === 'reject').map(vote => facts.crewsOf(vote.voterId)),
    voterRegisteredAt: v.votes.map(vote => facts.registeredAt(vote.voterId)),
    weak: v.weak,
    quorumText: `${v.candidateCount}/${v.threshold} is below the quorum ${wanted.candidateCount}/${wanted.threshold}`,
    resolvedAt: now,
  })
}

function resolvedEvent(v: Validation): Draft {
  const verdict = v.status as 'approved' | 'rejected'
  return api.validationResolved.of({
    ...facts(v),
    ...quorum(v),
    ...tally(v),
    submissionId: v.submissionId,
    verdict,
    frozen: v.frozen,
    disputeReason: v.disputeReason,
    winners: winnersOf(v),
    rewardPerValidator: rewardOf(v),
    settleAfter: v.settleAfter?.toISOString() ?? null,
    appealUntil: v.appealUntil?.toISOString() ?? null,
    resolvedAt: v.resolvedAt!.toISOString(),
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

/** The window is over: a majority of rejections still rejects, else there is no verdict. Advisers of the oracle never give one. */
export function closeWindow(v: Validation, facts: VerdictFacts, now: Date): Decision<Validation> | undefined {
  if (!validationStates.next(v.status, 'expire') || v.expiresAt > now) return undefined
  if (!v.oracleAssisted && rejections(v) > v.candidateCount / 2) return resolve(v, 'rejected', facts, now)
  return expire(v, facts.nextId, now)
}

/** No verdict. `nextId` names the second round where there is one; it is opened from this record (`dueAt`). */
function expire(v: Validation, nextId: string, now: Date): Decision<Validation> {
  const final = !hasSecondRound(v)
  const nextValidationId = final ? null : nextId
  const state: Validation = {
    ...v,
    status: validationStates.move(v.status, 'expire'),
    resolvedAt: now,
    replaceAt: null,
    nextValidationId,
    dueAt: final ? null : now,
    ...(final ? openVerdict(v) : {}),
  }
  return { state, events: endEvents(state) }
}

const expiredEvent = (v: Validation): Draft =>
  api.validationExpired.of({
    ...facts(v),
    ...quorum(v),
    ...tally(v),
    submissionId: v.submissionId,
    final: v.nextValidationId === null,
    thresholdRaised: isThresholdRaised(v),
    nextValidationId: v.nextValidationId,
    expiredAt: v.resolvedAt!.toISOString(),
  })

/**
 * POST /api/swarm/validate set more approvals than the quorum of the budget, or those of a whole panel: one idle validator could then buy the poster another
 * panel.
 */
function isThresholdRaised({ numbersSet, threshold, candidateCount, budget }: Validation): boolean {
  const isUnanimous = candidateCount > 1 && threshold === candidateCount
  return numbersSet && (isUnanimous || threshold > quorumFor(budget).threshold)
}

/** A gig has two rounds unless its poster raised the threshold; an appeal and a job have one. */
const hasSecondRound = (v: Validation): boolean => v.round === 1 && v.appealOf === null && v.jobId === null && !isThresholdRaised(v)
