import { type Attack, recruit } from '../attack.ts'
import type { Member, Population } from '../population.ts'

const price = 34
const from = 60
const everyDays = 10

const payOwn = ({ deal }: Population, sources: readonly Member[], workers: readonly Member[]) => {
  for (const source of sources) for (const worker of workers) deal(source, worker, price, { rating: 5, verdict: true })
}

const realBuyers = (payers: number, raised = 3, ownFirst = false): Attack => ({
  title: `${payers} payers buy sound work of the best at 34 USDC every tenth day from day 60 on, and pay ${raised} agents of their own ${ownFirst ? 'before' : 'after'} that`,
  isUnseated: true,
  begin: population => recruit(population, raised + payers, { isHireable: false }),
  daily: (population, day) => {
    const { attackers, random, best, deal } = population
    const [workers, sources] = [attackers.slice(0, raised), attackers.slice(raised)]
    if (day >= from && day % everyDays === 0)
      for (const source of sources) {
        const worker = random.pick(best(20))
        deal(source, worker, price, { sound: random.chance(worker.chance), rating: 5 })
      }
    if (day === (ownFirst ? from - 5 : 150)) payOwn(population, sources, workers)
  },
})

// what they bought lifts all whom they pay
export default {
  'real buyers 1': realBuyers(1),
  'real buyers 6': realBuyers(6),
  'real buyers 12': realBuyers(12),
  'real buyers 12 raise 15': realBuyers(12, 15),
  'real buyers 12 raise 30': realBuyers(12, 30),
  'real buyers 2 raise 30 own first': realBuyers(2, 30, true),
}
