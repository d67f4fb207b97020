import { dayMs } from '../facts.ts'
import { minBondMicro } from '../terms.ts'
import { type Decimal, max, millionths, min, one, power, ratio, times, unit, whole } from './decimal.ts'
import { judgementOf } from './judgement.ts'
import type { Quality } from './quality.ts'
import type { State } from './state.ts'
import { countWithin } from './timeline.ts'
import type { Tuning } from './tuning.ts'

/** One addend of a component, 0 to 100. */
export interface Part {
  name:
    | 'delivery'
    | 'age'
    | 'fees'
    | 'votes'
    | 'bond'
    | 'bondedDays'
    | 'cleanLocks'
    | 'bondLoss'
    | 'reviews'
    | 'followers'
    | 'duty'
    | 'hiring'
    | 'limit'
  value: Decimal
}

const year = 365
const points = (count: number, share: Decimal): Decimal => BigInt(count) * share

/** The addends of the four components (behaviour 17.10). */
export function partsOf(
  state: State,
  quality: Quality,
  now: Date,
  tuning: Tuning,
): Record<'gigPerformance' | 'onChainBehaviour' | 'bondReliability' | 'ecosystemSignals', Part[]> {
  return {
    gigPerformance: [{ name: 'delivery', value: points(100, quality.good) }],
    onChainBehaviour: onChainParts(state, quality, now, tuning),
    bondReliability: bondParts(state, quality, now, tuning),
    ecosystemSignals: ecosystemParts(state, quality, now, tuning),
  }
}

/** g·Qⁿ */
const meritOf = ({ good, quality }: Quality, n: number): Decimal => times(good, power(quality, n))

function onChainParts(state: State, quality: Quality, now: Date, tuning: Tuning): Part[] {
  const { credits } = quality
  const { feesHalfMicro } = tuning
  const since = state.outcomes.find(({ type, at }) => type === 'settled' && at.getTime() > now.getTime() - year * dayMs)?.at.getTime()
  // an account that sleeps does not age
  const age = Math.max(0, Math.floor((now.getTime() - Math.max(state.registeredOnChain, since ?? now.getTime())) / dayMs))
  const fees = credits.reduce((sum, { feesOnChain }) => sum + feesOnChain, 0n)
  // squared: many payers count, a few that one attacker pays for hardly do
  const [square, half] = [times(fees, fees), times(millionths(feesHalfMicro), millionths(feesHalfMicro))]
  const { judgement, judged } = judgementIn(state, now)
  const merit = meritOf(quality, tuning.meritPower)
  return [
    { name: 'age', value: points(20, times(merit, unit(ratio(BigInt(age), 180n)))) },
    { name: 'fees', value: points(50, times(merit, ratio(square, square + half))) },
    { name: 'votes', value: points(30, times(millionths(judgement), ratio(BigInt(judged), BigInt(judged + 20)))) },
  ]
}

/** J and v of an agent's votes in 365 days. */
export function judgementIn({ votes }: State, now: Date): { judgement: number; judged: number } {
  const count = (times: readonly number[]) => countWithin(times, now, year)
  const judged = {
    approvedRight: count(votes.approvedRight),
    approvedWrong: count(votes.approvedWrong),
    rejectedRight: count(votes.rejectedRight),
    rejectedWrong: count(votes.rejectedWrong),
  }
  return { judgement: judgementOf(judged), judged: Object.values(judged).reduce((sum, value) => sum + value, 0) }
}

function bondParts(state: State, quality: Quality, now: Date, tuning: Tuning): Part[] {
  if (BigInt(state.bonds.at(-1)?.total ?? 0) < minBondMicro) return []
  const clean = countWithin(state.cleanLocks, now, year)
  const slashes = appliedIn(state).filter(({ at }) => now.getTime() - at.getTime() < year * dayMs).length
  const { amount, days, locks, locksHalf } = tuning.bond
  const merit = meritOf(quality, tuning.bond.power)
  const parts: Part[] = [
    { name: 'bond', value: points(amount, times(merit, unit(ratio(meanBond(state, now.getTime()), whole(500))))) },
    { name: 'bondedDays', value: points(days, times(merit, unit(ratio(BigInt(bondedDays(state, now.getTime())), 90n)))) },
    { name: 'cleanLocks', value: points(locks, times(merit, ratio(BigInt(clean), BigInt(clean + locksHalf)))) },
  ]
  if (slashes === 0) return parts
  const total = parts.reduce((sum, { value }) => sum + value, 0n)
  return [...parts, { name: 'bondLoss', value: -times(total, ratio(BigInt(slashes), BigInt(slashes + clean))) }]
}

/** Slashes that were applied and not reversed since. One without an amount, for lack of a bond, does not count. */
export const appliedIn = ({ slashes }: State) => [...slashes.values()].filter(({ status, amount }) => status === 'APPLIED' && amount !== '0')

const monthMs = 30 * dayMs

/** Time-weighted mean of the whole bond over 30 days, USDC. */
function meanBond({ bonds }: State, now: number): Decimal {
  let [weighted, to] = [0n, now]
  for (let at = bonds.length - 1; at >= 0 && to > now - monthMs; at -= 1) {
    const from = Math.max(now - monthMs, bonds[at]!.at.getTime())
    weighted += BigInt(bonds[at]!.total) * BigInt(to - from)
    to = from
  }
  return millionths(weighted) / BigInt(monthMs)
}

/** Whole days in a row, up to now, with a bond that counts. */
function bondedDays({ bonds }: State, now: number): number {
  let since = now
  for (let at = bonds.length - 1; at >= 0 && BigInt(bonds[at]!.total) >= minBondMicro; at -= 1) since = bonds[at]!.at.getTime()
  return Math.floor((now - since) / dayMs)
}

function ecosystemParts(state: State, { good, credits, byCounterparty }: Quality, now: Date, tuning: Tuning): Part[] {
  const creditOf = (counterparty: string) => byCounterparty.get(counterparty)?.credit ?? 0n
  const hiringOf = (counterparty: string) => byCounterparty.get(counterparty)?.hiring ?? 0n
  const requests = countWithin(state.requests, now, year)
  const votes = Math.min(requests, countWithin(state.votesGiven, now, year))
  const hired = credits.reduce((sum, { hiring }) => sum + hiring, 0n)
  const followers = followersOf(state, by => min(one, creditOf(by) + hiringOf(by)))
  return withinHundred([
    { name: 'reviews', value: points(tuning.reviews, times(good, reviewsOf(state, creditOf, now))) },
    { name: 'followers', value: points(20, unit(followers / 5n)) },
    {
      name: 'duty',
      value: requests === 0 ? 0n : points(tuning.duty, times(ratio(BigInt(votes), BigInt(requests)), unit(ratio(BigInt(requests), 10n)))),
    },
    { name: 'hiring', value: points(20, unit(hired / 10n)) },
  ])
}

/** Where the addends may be more than a component can be. */
function withinHundred(parts: Part[]): Part[] {
  const beyond = parts.reduce((sum, { value }) => sum + value, 0n) - whole(100)
  return beyond > 0n ? [...parts, { name: 'limit', value: -beyond }] : parts
}

/** One that still counts. */
export const isRecentReview = ({ at }: { at: Date }, now: Date): boolean => now.getTime() - at.getTime() < year * dayMs

/** A·min(1, R/3): the latest review of each payer, weighted by its credit. */
function reviewsOf({ reviews }: State, creditOf: (counterparty: string) => Decimal, now: Date): Decimal {
  let [all, good] = [0n, 0n]
  for (const { by, rating, at } of reviews.values()) {
    if (!isRecentReview({ at }, now)) continue
    const credit = creditOf(by)
    all += credit
    good += (credit * BigInt(rating - 1)) / 4n
  }
  return all === 0n ? 0n : times(ratio(good, all), unit(all / 3n))
}

/** Followers by their score, by how many they follow, and by what was paid between them: a group that pays little gains nothing by following itself. */
function followersOf({ follows }: State, paidWith: (counterparty: string) => Decimal): Decimal {
  let sum = 0n
  for (const fact of follows.values()) {
    if (fact.type === 'unfollowed') continue
    const standing = unit(ratio(BigInt(Math.round(fact.theirScore * 10) - 150), 550n))
    sum += ratio(times(standing, paidWith(fact.by)), max(one, ratio(BigInt(fact.theirFollows), 20n)))
  }
  return sum
}
