import type { Market } from './markets.ts'
import { randomOf } from './random.ts'

/** One hire: the score, the values of the judges of reference, and what came of it. */
export interface Hire {
  score: number
  /** True chance at that moment: the best that anybody could know. */
  chance: number
  /** Posterior mean of a learner that knows the prior of the market and the agent's real outcomes. */
  bayes: number
  delivered: boolean
}

/** Area under the curve: how often a delivered hire has the higher value than one that failed; ties count half. */
export function auc(hires: readonly Hire[], judged: (hire: Hire) => number): number {
  const sorted = hires.map(hire => ({ value: judged(hire), delivered: hire.delivered })).sort((a, b) => a.value - b.value)
  let rankSum = 0
  let delivered = 0
  for (let from = 0; from < sorted.length; ) {
    let to = from
    while (to < sorted.length && sorted[to]!.value === sorted[from]!.value) to++
    for (let at = from; at < to; at++)
      if (sorted[at]!.delivered) {
        rankSum += (from + to + 1) / 2
        delivered++
      }
    from = to
  }
  const failed = sorted.length - delivered
  return delivered === 0 || failed === 0 ? 0.5 : (rankSum - (delivered * (delivered + 1)) / 2) / (delivered * failed)
}

type Learner = (delivered: number, failed: number) => number
const learners = new Map<Market, Learner>()

/** Posterior mean by delivered and failed real gigs, under the prior of the market. */
export function bayesOf(market: Market): Learner {
  const learner = learners.get(market) ?? learnerOf(market)
  learners.set(market, learner)
  return learner
}

function learnerOf(market: Market): Learner {
  const random = randomOf('prior')
  const prior = Array.from({ length: 99 }, () => 0)
  for (let n = 0; n < 20_000; n++) prior[Math.min(98, Math.floor(market.quality(random) * 100))]! += 1
  const counts = new Map<number, number>()
  return (delivered, failed) => {
    const key = delivered * 4096 + failed
    const found = counts.get(key)
    if (found !== undefined) return found
    const logs = prior.map(
      (weight, at) => Math.log(weight || 1e-9) + delivered * Math.log((at + 0.5) / 100) + failed * Math.log(1 - (at + 0.5) / 100),
    )
    const most = Math.max(...logs)
    const weights = logs.map(log => Math.exp(log - most))
    const mean = weights.reduce((sum, weight, at) => sum + (weight * (at + 0.5)) / 100, 0) / weights.reduce((sum, weight) => sum + weight, 0)
    counts.set(key, mean)
    return mean
  }
}
