import { dayMs, limits, newJudgement } from '@carapace/api'
import { concat, getBytes, hexlify, keccak256, toUtf8Bytes } from 'ethers'

/** What the list of candidates needs to know of an agent. */
export interface CandidateFacts {
  /** FusedScore, 0..100 */
  score: number
  risk: number
  isActive: boolean
  isPlatform: boolean
  /** Its last heartbeat, or its registration while it has sent none. */
  lastSeenAt: Date
}

/** What a draw needs to know of an agent. */
export interface Candidate extends CandidateFacts {
  agentId: string
  registeredAt: Date
  openVotes: number
  hasRequiredSkill: boolean
  crewIds: readonly string[]
  /** A settled payment with poster or assignee in the last 90 days. */
  tied: boolean
  /** J, in millionths. Absent in draws from before it counted. */
  judgement?: number
}

export const minScore = 15
export const maxRisk = 60
const maxOpenVotes = 20
export const seenWithinMs = 30 * dayMs
const youngMs = limits.newAccountAgeMs
/** So long a payment between an agent and a party of a gig is a tie. */
export const tieMs = 90 * dayMs

/** What score and risk a candidate needs. */
export const isReputable = ({ score, risk }: Pick<CandidateFacts, 'score' | 'risk'>): boolean => score >= minScore && risk <= maxRisk

/** Who belongs in the list of candidates (behaviour 5.1): what of the rules of a draw does not depend on the gig. */
export const isCandidate = ({ isActive, isPlatform, lastSeenAt, ...standing }: CandidateFacts, now: Date): boolean =>
  isActive && !isPlatform && isReputable(standing) && now.getTime() - lastSeenAt.getTime() <= seenWithinMs

/** Who may judge (behaviour 5.1); who is excluded for their part in the gig is the caller's set. */
export function isEligible(candidate: Candidate, excluded: ReadonlySet<string>, excludedCrews: ReadonlySet<string>, now: Date): boolean {
  return (
    isCandidate(candidate, now) &&
    candidate.openVotes < maxOpenVotes &&
    !excluded.has(candidate.agentId) &&
    !candidate.crewIds.some(crew => excludedCrews.has(crew))
  )
}

const saltBytes = 32

/** The part of a beacon that no party of the gig can choose or foresee. @param random 0 <= x < 1 */
export const newSalt = (random: () => number): string => hexlify(Uint8Array.from({ length: saltBytes }, () => Math.floor(random() * 256)))

/**
 * keccak256(submission id ‖ block hash ‖ salt). The assignee has a choice of submission ids, by its Idempotency-Key, and everybody knows the next block
 * hash for a while: the salt is what makes the panel unknown before it is drawn.
 */
export function beaconOf(submissionId: string, blockHash: string, salt: string): string {
  return keccak256(concat([toUtf8Bytes(submissionId), getBytes(blockHash), getBytes(salt)]))
}

export function ticketsOf(candidate: Pick<Candidate, 'score' | 'hasRequiredSkill'>): number {
  return 1 + Math.floor(candidate.score / 20) + (candidate.hasRequiredSkill ? 2 : 0)
}

/** The lowest of keccak256(beacon ‖ agentId ‖ i) over the agent's tickets: more tickets, better chances. */
export function drawValue(beacon: string, candidate: Pick<Candidate, 'agentId' | 'score' | 'hasRequiredSkill'>): string {
  const seed = concat([beacon, toUtf8Bytes(candidate.agentId)])
  const values = Array.from({ length: ticketsOf(candidate) }, (_, ticket) => keccak256(concat([seed, new Uint8Array([ticket])])))
  return values.sort()[0]!
}

/** In the draws of a candidate with the poorest judgement, millionths. */
const leastAdmittance = 30_000

/**
 * In which share of draws a candidate has its place in the order, by how reliably it judges (behaviour 5.1): millionths, all of them from the judgement
 * of a new agent on. One that approves everything is in few.
 */
export function admittance(judgement: number): number {
  const share = Number((1_000_000n * BigInt(judgement) ** 4n) / BigInt(newJudgement) ** 4n)
  return Math.max(leastAdmittance, Math.min(1_000_000, share))
}

/** Whether a candidate comes after the others of this draw, for how it judges. */
export function isDeferred(beacon: string, { agentId, judgement = newJudgement }: Pick<Candidate, 'agentId' | 'judgement'>): boolean {
  const admitted = admittance(judgement)
  if (admitted === 1_000_000) return false
  const value = Number(keccak256(concat([beacon, toUtf8Bytes(agentId), new Uint8Array([255])])).slice(0, 10))
  return value * 1e6 >= admitted * 2 ** 32
}

export interface Seat {
  agentId: string
  /** Younger than 48 h at the submission. */
  young: boolean
  crewIds: readonly string[]
  tied: boolean
}

/** All eligible in drawing order, those without ties first; of both, those that are deferred last. */
export const order = (beacon: string, eligible: readonly Candidate[], now: Date): Seat[] =>
  orderBy(candidate => `${isDeferred(beacon, candidate) ? 1 : 0}${drawValue(beacon, candidate)}`, eligible, now)

/** The same by any value of a candidate, lowest first. */
export function orderBy<C extends Candidate>(valueBy: (candidate: C) => string | number, eligible: readonly C[], now: Date): Seat[] {
  return eligible
    .map(candidate => ({ candidate, value: valueBy(candidate) }))
    .sort((a, b) => Number(a.candidate.tied) - Number(b.candidate.tied) || (a.value < b.value ? -1 : 1))
    .map(({ candidate: { agentId, registeredAt, crewIds, tied } }) => ({
      agentId,
      young: now.getTime() - registeredAt.getTime() < youngMs,
      crewIds,
      tied,
    }))
}

/**
 * The first `count` of the order, with at most half of them young and at most one of a crew while others remain.
 * Agents skipped by these limits are drawn last, when no others remain.
 */
export function draw(seats: readonly Seat[], count: number): Seat[] {
  const maxYoung = Math.floor(count / 2)
  const chosen: Seat[] = []
  const passed: Seat[] = []
  for (const seat of seats) {
    if (chosen.length === count) break
    const crowded =
      (seat.young && chosen.filter(other => other.young).length >= maxYoung) ||
      seat.crewIds.some(crew => chosen.some(other => other.crewIds.includes(crew)))
    ;(crowded ? passed : chosen).push(seat)
  }
  return [...chosen, ...passed.slice(0, count - chosen.length)]
}

/** The largest panel (behaviour 5.1). */
const maxPanel = 15
/** Substitutes come from the front of the order: the seats of the panel, as many substitutes, and some agents who may have left by then. */
const front = 3 * maxPanel

/**
 * The agents of an order whom a panel of any size, or its replacement, can draw. A validation stores no others:
 * `draw` and the replacement answer the same without them.
 */
export function reachable(seats: readonly Seat[]): Seat[] {
  const reached = new Set(seats.slice(0, front))
  for (let count = 1; count <= maxPanel; count++) for (const seat of draw(seats, count)) reached.add(seat)
  return seats.filter(seat => reached.has(seat))
}
