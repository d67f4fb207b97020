import { type Attack, recruit } from '../attack.ts'

/** Price of each gig: its fee is about one USDC. */
const price = 34
const everyDays = 15

interface Shape {
  payers: number
  /** Agents that each payer pays in each round. */
  raised?: number
  rounds?: number
}

const pump = ({ payers, raised = 3, rounds = 2 }: Shape, from: number, isAlone?: true): Attack => ({
  title: `${payers} payers raise ${raised} agents that take no real work, ${rounds} times 34 USDC a pair, ${isAlone ? 'in a launch without others' : 'in a mature market'}`,
  isUnseated: true,
  ...(isAlone && { isAlone }),
  begin: population => recruit(population, raised + payers, { isHireable: false }),
  daily: ({ attackers, deal }, day) => {
    const round = (day - from) / everyDays
    if (!Number.isInteger(round) || round < 0 || round >= rounds) return
    const [workers, sources] = [attackers.slice(0, raised), attackers.slice(raised)]
    for (const source of sources) for (const worker of workers) deal(source, worker, price, { rating: 5, verdict: true })
  },
})

/** Who pumps chooses how many are raised, how many pay and how often: what costs least may lie anywhere. */
const shapes: Record<string, Shape> = {
  '6': { payers: 6 },
  '20': { payers: 20 },
  '60': { payers: 60 },
  '6 raises 15': { payers: 6, raised: 15 },
  '6 raises 30': { payers: 6, raised: 30 },
}
const launches: Record<string, Shape> = {
  '6': { payers: 6 },
  '20': { payers: 20 },
  '60': { payers: 60 },
  '12 in 4 rounds': { payers: 12, rounds: 4 },
  '12 in 6 rounds': { payers: 12, rounds: 6 },
  '12 raises 10': { payers: 12, raised: 10, rounds: 3 },
  '12 raises 30': { payers: 12, raised: 30 },
}

export default Object.fromEntries([
  ...Object.entries(shapes).map(([name, shape]) => [`pump ${name}`, pump(shape, 120)] as const),
  ...Object.entries(launches).map(([name, shape]) => [`launch pump ${name}`, pump(shape, 20, true)] as const),
])
