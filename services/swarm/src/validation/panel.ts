import { chainRelayerApi, dayMs, refuse } from '@carapace/api'
import type { SeenAgent } from '@carapace/projections'
import type { Parts } from '../parts.ts'
import type { ListReader } from '../selection/candidate-list.store.ts'
import { candidateFacts, type Listed } from '../selection/candidate-list.ts'
import type { DrawRecord, ReadCandidate } from '../selection/draw.store.ts'
import { enoughEligible, mostRead, placesOf } from '../selection/places.ts'
import { beaconOf, type Candidate, draw, isEligible, order, reachable, type Seat } from '../selection/selection.ts'
import type { PanelSeat } from './validation.ts'

const tieMs = 90 * dayMs

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
}

/** Candidates whose facts are read together. */
const batch = 128

/** Fixes beacon and order of the candidates that may judge at this moment (behaviour 5.1); it reads a bounded number of them. */
export async function drawOrder(parts: Parts, it: Case, now: Date): Promise<Drawn> {
  const { submissionId, skillsRequired } = it
  const [head, excludedCrews] = await Promise.all([
    parts.peers.call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain: 'BASE_SEPOLIA' } }),
    parts.facts.crewsOf([it.posterId, it.assigneeId, ...it.excludedCrewsOf]),
  ])
  const beacon = beaconOf(submissionId, head.headHash)
  const excluded = {
    agents: new Set([it.posterId, it.assigneeId, ...it.memberIds, ...it.applicantIds, ...it.earlier]),
    crews: new Set([...excludedCrews.values()].flat()),
  }
  const { version: listVersion, size: listSize, read } = await parts.candidates.read(list => readCandidates(parts, it, list, beacon, excluded, now))
  const eligible = read.filter(candidate => candidate.isEligible)
  const record = { submissionId, headHash: head.headHash, beacon, listVersion, listSize, drawnAt: now, requiredSkills: skillsRequired, read }
  return { eligible: eligible.length, order: reachable(order(beacon, eligible, now)), record }
}

interface Excluded {
  agents: ReadonlySet<string>
  crews: ReadonlySet<string>
}

/** The candidates at the places of the beacon, until enough of them may judge. */
async function readCandidates(parts: Parts, it: Case, list: ListReader, beacon: string, excluded: Excluded, now: Date) {
  const { version, size } = list
  const [places, read] = [placesOf(beacon, size), [] as ReadCandidate[]]
  const enough = size <= mostRead ? size : enoughEligible
  let eligible = 0
  for (let next = nextOf(places, batch); next.length > 0 && eligible < enough; next = nextOf(places, batch))
    for (const { place, ...candidate } of await candidatesAt(parts, it, await list.at(next), now)) {
      const isChosen = isEligible(candidate, excluded.agents, excluded.crews, now)
      read.push({ place, ...candidate, isEligible: isChosen })
      if (isChosen) eligible++
      if (eligible === enough) break
    }
  return { version, size, read }
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

/** What the draw needs to know of these agents. */
async function candidatesAt(parts: Parts, it: Case, agents: readonly Listed[], now: Date): Promise<(Candidate & { place: number })[]> {
  const ids = agents.map(({ id }) => id)
  const [crews, tied, openVotes] = await Promise.all([
    parts.facts.crewsOf(ids),
    parts.facts.tiedTo([it.posterId, it.assigneeId], ids, new Date(now.getTime() - tieMs)),
    parts.validations.openVotes(ids),
  ])
  const required = new Set(it.skillsRequired)
  return agents.map(agent => ({
    place: agent.place!,
    ...candidateOf(agent, crews.get(agent.id) ?? [], tied.has(agent.id), openVotes.get(agent.id) ?? 0, required),
  }))
}

function candidateOf(agent: SeenAgent, crewIds: string[], tied: boolean, openVotes: number, required: ReadonlySet<string>): Candidate {
  return {
    ...candidateFacts(agent),
    agentId: agent.id,
    registeredAt: agent.registeredAt,
    openVotes,
    hasRequiredSkill: (agent.verifiedSkills ?? []).some(skill => required.has(skill)),
    crewIds,
    tied,
  }
}

/** The first `count` of an order as seats with their wallets. */
export async function seat(parts: Parts, seats: readonly Seat[], count: number): Promise<PanelSeat[]> {
  const chosen = draw(seats, count)
  const agents = await parts.agents.many(chosen.map(entry => entry.agentId))
  return chosen.map(({ agentId }) => ({ agentId, wallet: agents.get(agentId)?.wallet ?? refuse('CONFLICT'), replaced: false }))
}
