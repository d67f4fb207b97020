import { type Attack, recruit } from '../attack.ts'

/** Workers who are raised, and the price of each gig: its fee is about one USDC. */
const raised = 3
const price = 34

const pump = (payers: number, days: readonly [number, number], isAlone?: true): Attack => ({
  title: `${payers} payers raise three agents that take no real work, twice 34 USDC a pair, ${isAlone ? 'in a launch without others' : 'in a mature market'}`,
  ...(isAlone && { isAlone }),
  begin: population => recruit(population, raised + payers, { isHireable: false }),
  daily: ({ attackers, deal }, day) => {
    if (!days.includes(day)) return
    const [workers, sources] = [attackers.slice(0, raised), attackers.slice(raised)]
    for (const source of sources) for (const worker of workers) deal(source, worker, price, { rating: 5, verdict: true })
  },
})
const sizes = [6, 20, 60] as const

export default Object.fromEntries([
  ...sizes.map(payers => [`pump ${payers}`, pump(payers, [120, 135])] as const),
  ...sizes.map(payers => [`launch pump ${payers}`, pump(payers, [20, 35], true)] as const),
])
