import { dayMs, newJudgement } from '@carapace/api'
import {
  admittance,
  appealQuorum,
  type Candidate,
  draw,
  freezeOf,
  isEligible,
  orderBy,
  quorumFor,
  ticketsOf,
  tieMs,
  verdictOf,
} from '@carapace/swarm/rules'
import type { Member, Population } from './population.ts'

/** An honest validator sees what the work is worth this often, and votes in time this often. */
const rightOf = 0.95
const presentOf = 0.95

interface Quorum {
  candidateCount: number
  threshold: number
}
/** Whose work is judged, and who has judged it. */
interface Case {
  poster: Member
  worker: Member
  sound: boolean
  used: Set<string>
}
interface Drawn extends Candidate {
  member: Member
}

/**
 * A verdict by the rules of the swarm: eligible agents, tickets, draw, threshold, a second panel where the first has none, an appeal of a frozen
 * rejection. Only the hash of the draw is a seeded number here. Without a verdict the operator decides, who is right.
 */
export function judge(population: Population, gigId: string, poster: Member, worker: Member, budget: number, sound: boolean): boolean {
  const wanted = quorumFor(BigInt(Math.round(budget * 1e6)))
  const used = new Set([poster.id, worker.id])
  const it = { poster, worker, sound, used }
  const first = round(population, gigId, it, wanted)
  const last = first.verdict === 'expired' ? round(population, `${gigId}-2`, it, wanted) : first
  let approved = last.verdict === 'expired' ? sound : last.verdict === 'approved'
  if (last.verdict === 'rejected' && last.isFrozen) {
    const appeal = round(population, `${gigId}-a`, it, undefined)
    if (appeal.verdict === 'approved') approved = true
  }
  population.totals.judged++
  if (approved !== sound) population.totals.wrong++
  return approved
}

function round(population: Population, validationId: string, { poster, worker, sound, used }: Case, wanted: Quorum | undefined) {
  const now = population.now()
  const parties = [poster, worker]
  const crews = new Set(parties.flatMap(({ crew }) => crew ?? []))
  const isTied = (agentId: string) => parties.some(({ id }) => (population.records.lastPaid(agentId, id)?.getTime() ?? 0) >= now.getTime() - tieMs)
  const eligible = poolOf(population, now)
    .filter(candidate => isEligible(candidate, used, crews, now))
    .map(candidate => ({ ...candidate, tied: isTied(candidate.agentId) }))
  const quorum = wanted ?? appealQuorum(eligible.length)
  const order = orderBy(candidate => luck(population, candidate), eligible, now)
  const byId = new Map(eligible.map(({ agentId, member }) => [agentId, member]))
  const panel = draw(order, quorum.candidateCount).map(seat => byId.get(seat.agentId)!)
  for (const { id } of panel) used.add(id)
  const votes: { voter: Member; vote: 'approve' | 'reject' }[] = []
  let verdict: ReturnType<typeof verdictOf>
  for (const voter of panel) {
    voter.seats++
    const vote = voteOf(population, voter, worker, sound, votes)
    if (vote !== 'idle') votes.push({ voter, vote })
    verdict = verdictOf({ ...quorum, votes })
    if (verdict) break
  }
  if (verdict === 'approved' || verdict === 'rejected') {
    const decided = verdict
    for (const { id } of panel) {
      const choice = votes.find(({ voter }) => voter.id === id)?.vote
      // a seat that the verdict came before is excused
      if (choice || votes.length === panel.length) population.book.voted(id, { validationId, verdict: decided, ...(choice ? { choice } : {}) }, now)
    }
  }
  return { verdict: verdict ?? 'expired', isFrozen: verdict === 'rejected' && isFrozen(population, votes, now) }
}

/** Candidates as they were at a draw, for a few days each: half of the time of a run is theirs otherwise. */
const pools = new WeakMap<Population, { day: number; candidates: Drawn[]; held: Map<Member, { until: number; candidate: Drawn }> }>()
const heldDays = 4

function poolOf(population: Population, now: Date): readonly Drawn[] {
  const cached = pools.get(population)
  if (cached?.day === population.day) return cached.candidates
  const held: NonNullable<typeof cached>['held'] = cached?.held ?? new Map()
  const isSeated = ({ kind, isControl }: Member) => !population.attack.isUnseated || (kind !== 'attacker' && !isControl)
  const candidates = population.members.filter(isSeated).map(member => {
    const last = held.get(member)
    if (last && last.until > population.day) return { ...last.candidate, lastSeenAt: now, registeredAt: registeredAt(population, member, now) }
    const candidate = candidateOf(population, member, now)
    held.set(member, { until: population.day + heldDays, candidate })
    return candidate
  })
  pools.set(population, { day: population.day, candidates, held })
  return candidates
}

const candidateOf = (population: Population, member: Member, now: Date): Drawn => ({
  ...{
    member,
    agentId: member.id,
    score: population.score(member),
    risk: population.records.riskOf(member.id, now),
    isActive: true,
    isPlatform: false,
    lastSeenAt: now,
  },
  registeredAt: registeredAt(population, member, now),
  ...{ openVotes: 0, hasRequiredSkill: false, crewIds: member.crew ? [member.crew] : [], tied: false },
  judgement: Math.round(1e6 * (population.book.judgement?.(member.id, now) ?? newJudgement / 1e6)),
})

/** The lowest of as many numbers as it has tickets; above all others where it is deferred for how it judges. */
function luck({ random }: Population, candidate: Candidate): number {
  let least = 1
  for (let ticket = ticketsOf(candidate); ticket > 0; ticket--) least = Math.min(least, random.next())
  const admitted = admittance(candidate.judgement ?? newJudgement) / 1e6
  return admitted < 1 && random.next() >= admitted ? 1 + least : least
}

function voteOf(population: Population, voter: Member, worker: Member, sound: boolean, votes: readonly { vote: 'approve' | 'reject' }[]) {
  const approvals = votes.filter(({ vote }) => vote === 'approve').length
  const ballot = { worker, sound, approvals, rejections: votes.length - approvals }
  const planned = voter.kind === 'attacker' ? population.attack.vote?.(voter, ballot, population) : undefined
  if (planned) return planned
  if (!population.random.chance(presentOf)) return 'idle'
  return population.random.chance(rightOf) === sound ? 'approve' : 'reject'
}

const registeredAt = ({ day }: Population, { joinedDay }: Member, now: Date) => new Date(now.getTime() - (day - joinedDay) * dayMs)

const isFrozen = (population: Population, votes: readonly { voter: Member; vote: 'approve' | 'reject' }[], now: Date): boolean =>
  freezeOf({
    rejecterCrews: votes.filter(({ vote }) => vote === 'reject').map(({ voter }) => (voter.crew ? [voter.crew] : [])),
    voterRegisteredAt: votes.map(({ voter }) => registeredAt(population, voter, now)),
    ...{ weak: false, quorumText: '', resolvedAt: now },
  }).reason !== null
