import { type Attack, recruit } from '../attack.ts'

const everyDays = 10
const price = 5

const badMouthing: Attack = {
  title: '12 posters hire the best for 5 USDC every 10 days, give one star and have 30 % of sound work rejected',
  begin: population => recruit(population, 12, { isHireable: false }),
  daily: (population, day) => {
    const best = population.best(15)
    population.attackers.forEach((poster, at) => {
      if ((day + at) % everyDays !== 0) return
      const worker = population.random.pick(best)
      const sound = population.random.chance(worker.chance)
      population.deal(poster, worker, price, { sound, rating: 1, verdict: sound && !population.random.chance(0.3) })
    })
  },
}

export default { 'bad-mouthing': badMouthing }
