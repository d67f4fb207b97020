import { type Attack, recruit } from '../attack.ts'
import type { Member, Population } from '../population.ts'

const sellers = 6
const boughtOn = 120
const raisedOn = 150

/** Good workers whom the market hires like others. They are no attackers: what these earn and win is counted against a formula. */
const sellersOf = new WeakMap<Population, Member[]>()

const sellersBridge = (buyers: number, raised: number): Attack => ({
  title: `${sellers} good workers of a group are hired by the market; on day ${boughtOn} ${buyers} buyers of it pay them 167 USDC each, then raise ${raised} others`,
  isUnseated: true,
  begin: population => {
    recruit(population, raised + buyers, { isHireable: false })
    sellersOf.set(
      population,
      Array.from({ length: sellers }, () => population.join({ kind: 'worker', chance: 0.95 })),
    )
  },
  daily: (population, day) => {
    const { attackers, deal } = population
    for (const buyer of attackers.slice(raised)) {
      // what the sellers did for others lets their payers vouch: money that stays in the group buys a standing
      if (day === boughtOn) for (const seller of sellersOf.get(population)!) deal(buyer, seller, 167, { rating: 5, verdict: true, isWithin: true })
      if (day === raisedOn) for (const worker of attackers.slice(0, raised)) deal(buyer, worker, 34, { rating: 5, verdict: true })
    }
  },
})

export default {
  'sellers bridge 4 raise 3': sellersBridge(4, 3),
  'sellers bridge 4 raise 20': sellersBridge(4, 20),
  'sellers bridge 8 raise 60': sellersBridge(8, 60),
}
