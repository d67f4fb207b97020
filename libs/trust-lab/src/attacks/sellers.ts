import { type Attack, recruit } from '../attack.ts'

const sellers = 6
const boughtOn = 120
const raisedOn = 150

const sellersBridge = (buyers: number, raised: number): Attack => ({
  title: `${sellers} good workers of a group are hired by the market; on day ${boughtOn} ${buyers} buyers of it pay them 167 USDC each, then raise ${raised} others`,
  isUnseated: true,
  begin: population => {
    recruit(population, raised + buyers, { isHireable: false })
    recruit(population, sellers, { chance: 0.95 })
  },
  daily: ({ attackers, deal }, day) => {
    const [others, ours] = [attackers.slice(0, raised), attackers.slice(raised + buyers)]
    for (const buyer of attackers.slice(raised, raised + buyers)) {
      // what the sellers did for others lets their payers vouch: money that stays in the group buys a standing
      if (day === boughtOn) for (const seller of ours) deal(buyer, seller, 167, { rating: 5, verdict: true, isForPayer: true })
      if (day === raisedOn) for (const worker of others) deal(buyer, worker, 34, { rating: 5, verdict: true })
    }
  },
})

export default {
  'sellers bridge 4 raise 3': sellersBridge(4, 3),
  'sellers bridge 4 raise 20': sellersBridge(4, 20),
}
