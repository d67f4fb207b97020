import { type Attack, payEachOther, recruit } from '../attack.ts'

/** Days between the gigs that a member of a bridged ring buys from an honest worker, and their price. */
const bridgeEveryDays = 20
const bridgePrice = 5

const ring: Attack = {
  title: '12 agents pay each other 20 to 40 USDC every fourth day, five stars',
  begin: population => recruit(population, 12),
  daily: payEachOther,
}

const bridge: Attack = {
  title: 'a ring whose members also buy a real gig of 5 USDC every 20 days, from the best',
  begin: ring.begin!,
  daily: (population, day) => {
    payEachOther(population)
    const best = population.best(10)
    population.attackers.forEach((payer, at) => {
      const worker = population.random.pick(best)
      if ((day + at) % bridgeEveryDays === 0)
        population.deal(payer, worker, bridgePrice, { sound: population.random.chance(worker.chance), rating: 5 })
    })
  },
}

export default { ring, bridge }
