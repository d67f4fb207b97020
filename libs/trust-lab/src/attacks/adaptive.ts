import { type Attack, recruit } from '../attack.ts'
import type { Member, Population } from '../population.ts'

/** What a group can do for one of its members, each with its price in USDC. It repeats what raises the score most per USDC. */
const moves: readonly { cost: number; make(population: Population, member: Member, mate: Member, mates: readonly Member[]): void }[] = [
  { cost: 0.15, make: ({ deal }, member, mate) => deal(mate, member, 5, { rating: 5, verdict: true }) },
  { cost: 1.02, make: ({ deal }, member, mate) => deal(mate, member, 34, { rating: 5, verdict: true }) },
  { cost: 3.6, make: ({ deal }, member, mate) => deal(mate, member, 120, { rating: 5, verdict: true }) },
  // what a payer spends until its word may count
  { cost: 8.1, make: ({ deal }, member, mate) => deal(mate, member, 270, { rating: 5, verdict: true }) },
  { cost: 6.12, make: ({ deal }, member, _, mates) => mates.slice(0, 6).forEach(mate => void deal(mate, member, 34, { rating: 5, verdict: true })) },
  { cost: 11.22, make: ({ deal }, member, _, mates) => mates.forEach(mate => void deal(mate, member, 34, { rating: 5, verdict: true })) },
  { cost: 0.05, make: ({ follow }, member, mate) => follow(mate, member) },
  { cost: 34, make: ({ deal, best }, member) => deal(member, best(10)[0]!, 34, { rating: 5 }) },
  { cost: 5, make: ({ deal, best }, member) => deal(member, best(10)[0]!, 5, { rating: 5 }) },
]
const everyDays = 4

const adaptive: Attack = {
  title: '12 bad workers who try nine moves, many payers at once among them, and mostly repeat what raised their scores most per USDC',
  begin: population => recruit(population, 12),
  daily: (population, day) => {
    if (day % everyDays !== 0) return
    const { attackers, random } = population
    const gains = gainsOf(population)
    for (const member of attackers) {
      const at = gains.tries > 60 && random.chance(0.9) ? gains.best() : random.below(moves.length)
      const move = moves[at]!
      const before = population.score(member)
      const mates = attackers.filter(mate => mate !== member)
      move.make(population, member, random.pick(mates), mates)
      population.later(everyDays, () => gains.record(at, (population.score(member) - before) / move.cost))
    }
  },
}

const byPopulation = new WeakMap<Population, ReturnType<typeof newGains>>()
function gainsOf(population: Population) {
  const gains = byPopulation.get(population) ?? newGains()
  byPopulation.set(population, gains)
  return gains
}

function newGains() {
  const sums = moves.map(() => ({ gain: 0, count: 1 }))
  const mean = (at: number) => sums[at]!.gain / sums[at]!.count
  return {
    tries: 0,
    best: () => moves.reduce((best, _, at) => (mean(at) > mean(best) ? at : best), 0),
    record(at: number, gain: number) {
      this.tries++
      sums[at]!.gain += gain
      sums[at]!.count++
    },
  }
}

export default { adaptive }
