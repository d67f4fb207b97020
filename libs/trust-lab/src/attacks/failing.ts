import { type Attack, recruit } from '../attack.ts'

const failedOn = 140

/** As if verdicts against sound work could be had: who fails the best agents, and how much that counts. */
const failing = (accounts: number, often: number): Attack => ({
  title: `on day ${failedOn} ${accounts} accounts that nobody vouches for hire the best 30 agents ${often} times each for 60 USDC, and each gig is rejected`,
  isUnseated: true,
  begin: population => recruit(population, accounts, { isHireable: false }),
  daily: ({ attackers, best, deal }, day) => {
    if (day !== failedOn) return
    for (const worker of best(30))
      for (const account of attackers) for (let n = 0; n < often; n++) deal(account, worker, 60, { sound: false, verdict: false })
  },
})

export default {
  'failing 3': failing(3, 3),
  'failing 12': failing(12, 1),
}
