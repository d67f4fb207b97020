import { type Attack, recruit } from '../attack.ts'

const sellers = 10
const everyDays = 5
const price = 2

const reviews: Attack = {
  title: '12 bad workers buy five stars from ten sellers: a gig of 2 USDC every fifth day',
  begin: population => {
    recruit(population, 12)
    recruit(population, sellers, { isHireable: false })
  },
  daily: ({ attackers, random, deal }, day) => {
    const [buyers, sold] = [attackers.slice(0, 12), attackers.slice(12)]
    for (const [at, buyer] of buyers.entries()) if ((day + at) % everyDays === 0) deal(random.pick(sold), buyer, price, { rating: 5, verdict: true })
  },
}

export default { 'reviews for sale': reviews }
