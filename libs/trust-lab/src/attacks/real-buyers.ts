import { type Attack, recruit } from '../attack.ts'

const price = 34
const from = 60
const everyDays = 10

const realBuyers = (payers: number, raised = 3): Attack => ({
  title: `${payers} payers buy sound work of the best at 34 USDC every tenth day from day 60 on, then pay ${raised} agents of their own`,
  isUnseated: true,
  begin: population => recruit(population, raised + payers, { isHireable: false }),
  daily: ({ attackers, random, best, deal }, day) => {
    const [workers, sources] = [attackers.slice(0, raised), attackers.slice(raised)]
    if (day >= from && day % everyDays === 0)
      for (const source of sources) {
        const worker = random.pick(best(20))
        deal(source, worker, price, { sound: random.chance(worker.chance), rating: 5 })
      }
    if (day === 150) for (const source of sources) for (const worker of workers) deal(source, worker, price, { rating: 5, verdict: true })
  },
})

// what they bought lifts all whom they pay
export default {
  'real buyers 1': realBuyers(1),
  'real buyers 6': realBuyers(6),
  'real buyers 12': realBuyers(12),
  'real buyers 12 raise 15': realBuyers(12, 15),
  'real buyers 12 raise 30': realBuyers(12, 30),
}
