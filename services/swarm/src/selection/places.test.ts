import assert from 'node:assert/strict'
import { dayMs } from '@carapace/api'
import { seeded } from '@carapace/testing'
import { id as keccakOf } from 'ethers'
import fc from 'fast-check'
import { ago, now } from '../testing/moment.ts'
import { enoughEligible, mostRead, placesOf } from './places.ts'
import { type Candidate, draw, drawValue, order, ticketsOf } from './selection.ts'

const beaconOf = (n: number | string) => keccakOf(`beacon ${n}`)

function first(count: number, beacon: string, size: number): number[] {
  const found: number[] = []
  for (const place of placesOf(beacon, size)) if (found.push(place) === count) break
  return found
}

/** Groups of agents that differ in what a draw depends on: score, verified skill, age, crew. */
const groups = [15, 20, 40, 60, 80].flatMap(score =>
  [false, true].flatMap(hasRequiredSkill =>
    [1, 3, 10, 100, 1_000].flatMap(ageDays => [null, 'a', 'b'].map(crew => ({ score, hasRequiredSkill, ageDays, crew }))),
  ),
)

const candidate = (agentId: string, { score, hasRequiredSkill, ageDays, crew }: (typeof groups)[number]): Candidate => ({
  agentId,
  score,
  risk: 0,
  isActive: true,
  isPlatform: false,
  lastSeenAt: ago(dayMs),
  registeredAt: ago(ageDays * dayMs),
  openVotes: 0,
  hasRequiredSkill,
  crewIds: crew === null ? [] : [`${crew}-${agentId}`],
  tied: false,
})

/** The order of a draw from a list in which everybody may judge. */
const drawnFrom = (list: readonly Candidate[], beacon: string) =>
  order(
    beacon,
    first(enoughEligible, beacon, list.length).map(place => list[place]!),
    now,
  )

describe('the places that a draw reads', () => {
  it('are distinct, within the list, the same for the same beacon, and no more than it reads', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), fc.nat(1_000), (size, n) => {
        const places = first(enoughEligible, beaconOf(n), size)

        assert.equal(new Set(places).size, places.length)
        assert.ok(places.every(place => place >= 0 && place < size))
        assert.deepEqual(places, first(enoughEligible, beaconOf(n), size))
        assert.equal(places.length, Math.min(size, enoughEligible))
      }),
    )
    assert.equal([...placesOf(beaconOf('long'), 100_000)].length, mostRead)
  })

  it('are the whole list where that is no longer', () => {
    assert.deepEqual(
      [...placesOf(beaconOf('short'), mostRead)],
      Array.from({ length: mostRead }, (_, place) => place),
    )
  })

  it('give every group of agents the first seat as often as its tickets say', () => {
    const list = Array.from({ length: 20 * groups.length }, (_, n) => candidate(keccakOf(`agent ${n}`), groups[n % groups.length]!))
    const draws = 1_200
    const seen = new Map<number, number>()
    const groupOf = new Map(list.map(({ agentId }, n) => [agentId, n % groups.length]))
    for (let n = 0; n < draws; n++) {
      const group = groupOf.get(drawnFrom(list, beaconOf(n))[0]!.agentId)!
      seen.set(group, (seen.get(group) ?? 0) + 1)
    }

    const chances = new Map([...new Set(groups.map(ticketsOf))].map(tickets => [tickets, chanceOf(tickets)]))
    const weights = groups.map(group => chances.get(ticketsOf(group))!)
    const all = weights.reduce((sum, weight) => sum + weight, 0)
    const chiSquare = weights.reduce((sum, weight, group) => {
      const expected = (draws * weight) / all
      return sum + ((seen.get(group) ?? 0) - expected) ** 2 / expected
    }, 0)

    // Wilson and Hilferty: the value that one of a million fair runs exceeds
    const freedom = groups.length - 1
    const limit = freedom * (1 - 2 / (9 * freedom) + 4.75 * Math.sqrt(2 / (9 * freedom))) ** 3
    assert.ok(groups.length >= 100)
    assert.ok(chiSquare < limit, `chi-square ${chiSquare.toFixed(0)} of ${freedom} degrees of freedom, at most ${limit.toFixed(0)}`)
  }).timeout(300_000)

  it('give an attacker who stays with the best of many registrations no more panels', () => {
    const [honest, hostile, panel, draws] = [180, 60, 5, 500]
    const one = groups[0]!
    // registrations are free to choose their ids; the attacker stays with those that past beacons would have drawn first
    const past = Array.from({ length: 3 }, (_, n) => beaconOf(`past ${n}`))
    const luck = (agentId: string) => past.map(beacon => drawValue(beacon, candidate(agentId, one))).sort()[0]!
    const made = Array.from({ length: 100 * hostile }, (_, n) => keccakOf(`attacker ${n}`))
    const best = made
      .map(agentId => ({ agentId, luck: luck(agentId) }))
      .sort((a, b) => (a.luck < b.luck ? -1 : 1))
      .slice(0, hostile)
    const theirs = new Set(best.map(({ agentId }) => agentId))
    const ids = [...Array.from({ length: honest }, (_, n) => keccakOf(`honest ${n}`)), ...theirs]
    const random = seeded(7)
    const list = ids
      .map(agentId => ({ agentId, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ agentId }) => candidate(agentId, one))

    let majorities = 0
    for (let n = 0; n < draws; n++) {
      const seats = draw(drawnFrom(list, beaconOf(`fresh ${n}`)), panel)
      if (seats.filter(({ agentId }) => theirs.has(agentId)).length > panel / 2) majorities++
    }

    const chance = majorityChance(hostile, honest + hostile, panel)
    const deviation = Math.sqrt((chance * (1 - chance)) / draws)
    assert.ok(majorities / draws < chance + 4 * deviation, `${majorities} of ${draws}, independent draws give ${(chance * draws).toFixed(0)}`)
  }).timeout(300_000)
})

/** Chance of the first seat for one with so many tickets among `enoughEligible` that are read: E[t / (t + the others' tickets)]. */
function chanceOf(tickets: number): number {
  const random = seeded(tickets)
  const rounds = 4_000
  let sum = 0
  for (let round = 0; round < rounds; round++) {
    let others = 0
    for (let n = 1; n < enoughEligible; n++) others += ticketsOf(groups[Math.floor(random() * groups.length)]!)
    sum += tickets / (tickets + others)
  }
  return sum / rounds
}

/** Hypergeometric: more than half of `panel` seats among `marked` of `all`. */
function majorityChance(marked: number, all: number, panel: number): number {
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)
  let chance = 0
  for (let seats = Math.floor(panel / 2) + 1; seats <= panel; seats++)
    chance += (choose(marked, seats) * choose(all - marked, panel - seats)) / choose(all, panel)
  return chance
}
