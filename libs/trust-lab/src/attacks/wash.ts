import { type Attack, recruit } from '../attack.ts'

const size = 6
const price = 34

const wash: Attack = {
  title: 'six payers and six bad workers: 34 USDC a pair every 30 days, one way only, five stars',
  begin: population => {
    recruit(population, size)
    recruit(population, size, { isHireable: false })
  },
  daily: ({ attackers, deal }, day) => {
    const [workers, payers] = [attackers.slice(0, size), attackers.slice(size)]
    if (day % 5 === 0) for (const [at, payer] of payers.entries()) deal(payer, workers[(at + day / 5) % size]!, price, { rating: 5, verdict: true })
  },
}

export default { wash }
