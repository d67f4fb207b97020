import { chainRelayerApi, refuse } from '@carapace/api'
import type { CandidateLinks } from '../facts.ts'
import type { Parts } from '../parts.ts'
import type { ListReader } from '../selection/candidate-list.store.ts'
import { candidateFacts, type Listed } from '../selection/candidate-list.ts'
import type { DrawnCase, DrawRecord, ReadCandidate } from '../selection/draw.store.ts'
import { enoughEligible, mostRead, placesOf } from '../selection/places.ts'
import { beaconOf, draw, isEligible, newSalt, order, reachable, type Seat, tieMs } from '../selection/selection.ts'
import type { PanelSeat } from './validation.ts'

/** Whose deliverable is judged, for whom, and who must not judge it. */
export interface Case {
  submissionId: string
  posterId: string
  assigneeId: string
  memberIds: readonly string[]
  applicantIds: readonly string[]
  /** Panels before this one. */
  earlier: readonly string[]
  /** Crews, other than those of the parties, whose members must not judge. */
  excludedCrewsOf: readonly string[]
  skillsRequired: readonly string[]
}

export interface Drawn {
  /** How many of those read may judge. */
  eligible: number
  /** Those of them who can come to a panel, in drawing order. */
  order: Seat[]
  record: DrawRecord
  /** Of the candidates that were read. */
  walletOf(agentId: string): string | undefined
}

/** Candidates of a long list whose facts are read together. */
const batch = 128

/** Beacon and order of the candidates that may judge (behaviour 5.1). Drawn at this moment, unless somebody has drawn for this case before. */
export async function drawOrder(parts: Parts, of: DrawnCase, it: Case, now: Date): Promise<Drawn> {
  const record = await parts.draws.saveOnce(of, await newDraw(parts, it, now))
  const eligible = record.read.filter(candidate => candidate.isEligible)
  const wallets = new Map(record.read.map(({ agentId, wallet }) => [agentId, wallet]))
  const drawn = reachable(order(record.beacon, eligible, record.drawnAt))
  return { eligible: eligible.length, order: drawn, record, walletOf: agentId => wallets.get(agentId) }
}

/** It reads a bounded number of candidates. */
async function newDraw(parts: Parts, it: Case, now: Date): Promise<DrawRecord> {
  const { submissionId, skillsRequired } = it
  const { headHash } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain: 'BASE_SEPOLIA' } })
  const salt = newSalt(parts.random)
  const beacon = beaconOf(submissionId, headHash, salt)
  const parties = [it.posterId, it.assigneeId, ...it.memberIds]
  const found = await parts.candidates.read(parties, async list => {
    const read = await readCandidates(parts, it, list, beacon, now)
    const partyWallets = [...new Set(parties.flatMap(agentId => list.others.get(agentId)?.wallet ?? []))]
    return { listVersion: list.version, listSize: list.size, read, partyWallets }
  })
  return { submissionId, headHash, salt, beacon, ...found, drawnAt: now, requiredSkills: skillsRequired }
}

/** The candidates at the places of the beacon, until enough of them may judge. */
async function readCandidates(parts: Parts, it: Case, list: ListReader, beacon: string, now: Date): Promise<ReadCandidate[]> {
  const excluded = new Set([it.posterId, it.assigneeId, ...it.memberIds, ...it.applicantIds, ...it.earlier])
  const [places, read] = [placesOf(beacon, list.size), [] as ReadCandidate[]]
  const [enough, together] = list.size <= mostRead ? [list.size, mostRead] : [enoughEligible, batch]
  let eligible = 0
  for (let next = nextOf(places, together); next.length > 0 && eligible < enough; next = nextOf(places, together)) {
    const { candidates, excludedCrews } = await candidatesOf(parts, it, await list.at(next), now)
    for (const candidate of candidates) {
      const isChosen = isEligible(candidate, excluded, excludedCrews, now)
      read.push({ ...candidate, isEligible: isChosen })
      if (isChosen) eligible++
      if (eligible === enough) break
    }
  }
  return read
}

function nextOf<T>(items: Iterator<T>, count: number): T[] {
  const found: T[] = []
  while (found.length < count) {
    const { value, done } = items.next()
    if (done) break
    found.push(value)
  }
  return found
}

/** What the draw needs to know of these agents, and the crews whose members must not judge. */
async function candidatesOf(parts: Parts, it: Case, agents: readonly Listed[], now: Date) {
  const parties = [it.posterId, it.assigneeId]
  const others = [...parties, ...it.excludedCrewsOf]
  const links = await parts.facts.ofCandidates({ agentIds: agents.map(({ id }) => id), others, parties, tiedAfter: new Date(now.getTime() - tieMs) })
  const required = new Set(it.skillsRequired)
  return {
    candidates: agents.map(agent => candidateOf(agent, links, required)),
    excludedCrews: new Set(others.flatMap(links.crewsOf)),
  }
}

type Unjudged = Omit<ReadCandidate, 'isEligible'>

function candidateOf(agent: Listed, { crewsOf, isTied, openVotesOf }: CandidateLinks, required: ReadonlySet<string>): Unjudged {
  return {
    ...candidateFacts(agent),
    place: agent.place!,
    ...(agent.wallet === null ? {} : { wallet: agent.wallet }),
    agentId: agent.id,
    registeredAt: agent.registeredAt,
    openVotes: openVotesOf(agent.id),
    hasRequiredSkill: (agent.verifiedSkills ?? []).some(skill => required.has(skill)),
    crewIds: crewsOf(agent.id),
    tied: isTied(agent.id),
    judgement: agent.judgement,
  }
}

/** The first `count` of an order as seats with their wallets, as they were at the draw. */
export const seatDrawn = ({ order: seats, walletOf }: Drawn, count: number): PanelSeat[] => seatsOf(draw(seats, count), walletOf)

/** The same of an order that was drawn before, with their wallets of now. */
export async function seat(parts: Parts, seats: readonly Seat[], count: number): Promise<PanelSeat[]> {
  const chosen = draw(seats, count)
  const agents = await parts.agents.many(chosen.map(entry => entry.agentId))
  return seatsOf(chosen, agentId => agents.get(agentId)?.wallet ?? undefined)
}

const seatsOf = (chosen: readonly Seat[], walletOf: Drawn['walletOf']): PanelSeat[] =>
  chosen.map(({ agentId }) => ({ agentId, wallet: walletOf(agentId) ?? refuse('CONFLICT'), replaced: false }))
