import { type Random, randomOf } from './random.ts'

/** A gig market: who is there, what they can, and how posters choose. */
export interface Market {
  title: string
  workers: number
  posters: number
  days: number
  /** Chance of a poster to have a gig on a day. */
  demand: number
  /** Chance to deliver of a new worker. */
  quality(random: Random): number
  /** Budget in USDC. */
  budget(random: Random): number
  /** Agents that a poster compares, and how strongly the score draws it: weight exp(score / temperature). */
  offers: number
  temperature: number
  /** Share of the gigs whose verdict is voted by a drawn panel; those of the others are right. */
  panels: number
  /** Posters that the operator knows. */
  anchors: number
  /** New honest workers a day, from day 60 to 150. */
  newWorkers: number
  /** Never tuned on: run for the release table only. */
  isHeldOut?: true
  /** Run where it is named only. */
  isExtra?: true
}

const clip = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))
const bell = (random: Random, mean: number, spread: number) => clip(mean + spread * random.normal(), 0.05, 0.99)
const logNormal = (random: Random, mean: number, spread: number) => clip(Math.round(100 * Math.exp(mean + spread * random.normal())) / 100, 1, 5000)

const paper: Market = {
  title: 'as in the design: 120 workers around 0.75, 60 posters with a gig every other day',
  workers: 120,
  posters: 60,
  days: 180,
  demand: 0.5,
  quality: random => bell(random, 0.75, 0.18),
  budget: random => logNormal(random, 3.6, 0.9),
  offers: 6,
  temperature: 12,
  panels: 0.05,
  anchors: 0,
  newWorkers: 0.25,
}

export const markets: Record<string, Market> = {
  paper,
  thin: {
    ...paper,
    title: 'half the demand, good and bad workers: 60 % around 0.9, 40 % around 0.5',
    demand: 0.25,
    quality: random => bell(random, random.chance(0.6) ? 0.9 : 0.5, 0.08),
  },
  spread: {
    ...paper,
    title: '150 occasional posters, every quality alike often, larger budgets, five anchors',
    posters: 150,
    demand: 0.12,
    quality: random => random.between(0.2, 0.98),
    budget: random => logNormal(random, 4.2, 1.1),
    offers: 8,
    temperature: 8,
    anchors: 5,
  },
  unseen: {
    ...paper,
    title: 'never tuned on: 80 workers, a third of them very good, posters who compare four',
    workers: 80,
    posters: 90,
    demand: 0.2,
    quality: random => (random.chance(0.33) ? bell(random, 0.95, 0.03) : bell(random, 0.6, 0.2)),
    budget: random => logNormal(random, 3.2, 1.2),
    offers: 4,
    temperature: 15,
    anchors: 2,
    isHeldOut: true,
  },
  drawn: { ...paper, title: 'another market for each seed, drawn at random', isExtra: true },
}

/** The market of a run: of the drawn ones, the one of the seed's number. */
export const marketOf = (name: string, seed: string): Market => (name === 'drawn' ? drawnMarket(seed.split('/').at(-1)!) : markets[name]!)

/** What suits four markets may not suit the next one. */
function drawnMarket(number: string): Market {
  const drawn = randomOf(`random market ${number}`)
  const kind = drawn.below(3)
  const [high, low, share] = [drawn.between(0.85, 0.96), drawn.between(0.4, 0.65), drawn.between(0.25, 0.7)]
  const [mean, spread, least] = [drawn.between(0.6, 0.8), drawn.between(0.1, 0.25), drawn.between(0.1, 0.4)]
  const [budget, budgetSpread] = [drawn.between(3.2, 4.3), drawn.between(0.8, 1.2)]
  const posters = 40 + drawn.below(121)
  const gigsADay = drawn.between(12, 32)
  const qualities: Market['quality'][] = [
    random => bell(random, mean, spread),
    random => bell(random, random.chance(share) ? high : low, 0.08),
    random => random.between(least, 0.98),
  ]
  return {
    ...markets.drawn!,
    posters,
    workers: 70 + drawn.below(91),
    demand: clip(gigsADay / posters, 0.05, 0.6),
    offers: 3 + drawn.below(7),
    temperature: drawn.between(7, 18),
    anchors: drawn.below(6),
    quality: qualities[kind]!,
    budget: random => logNormal(random, budget, budgetSpread),
  }
}
