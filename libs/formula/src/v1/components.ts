import { appliedSlashes, clamp, type Dated, dayMs, daysBetween, isBonded, round1, usdcOf, within } from '../facts.ts'
import type { Components } from '../terms.ts'
import { credit, type Pair } from './pairs.ts'

const year = 365
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

export function componentsOf(facts: readonly Dated[], pairs: readonly Pair[], now: Date): Components {
  return {
    gigPerformance: round1(gigPerformance(facts, pairs, now)),
    onChainBehaviour: round1(total(onChainAddends(facts, pairs, now))),
    bondReliability: round1(bondReliability(bondAddends(facts, now))),
    ecosystemSignals: round1(total(ecosystemAddends(facts, pairs, now))),
  }
}

/** Failures by counterparty, at most five each: nobody is ruined by one hostile poster. */
export function cappedByCounterparty(counterparties: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const counterparty of counterparties) counts.set(counterparty, (counts.get(counterparty) ?? 0) + 1)
  return sum([...counts.values()].map(count => Math.min(5, count)))
}

/** A lower confidence bound on delivering: a success counts by the standing of who paid for it, a failure whole. */
function gigPerformance(facts: readonly Dated[], pairs: readonly Pair[], now: Date): number {
  const delivered = pairs.filter(pair => pair.asAssignee > 0)
  if (delivered.length === 0) return 0
  const d = sum(delivered.map(credit))
  return 100 * boundOf(d, cappedByCounterparty(failuresIn(facts, now))) * Math.min(1, d / 3)
}

/** For whom the agent failed, once for each failure. */
export const failuresIn = (facts: readonly Dated[], now: Date): string[] => within(facts, 'failed', now, year).map(fact => fact.with)

/** With a sum of credits and so many failures. */
export function boundOf(d: number, f: number): number {
  const n = 3 * d + f
  const p = (3 * d + 1) / (n + 2)
  return Math.max(0, p - Math.sqrt((p * (1 - p)) / (n + 3)))
}

const total = (addends: Readonly<Record<string, number>>): number => sum(Object.values(addends))

export function onChainAddends(facts: readonly Dated[], pairs: readonly Pair[], now: Date) {
  const confirmed = within(facts, 'onchain_confirmed', now)[0]
  const age = confirmed ? daysBetween(confirmed.at, now) : 0
  const phi = sum(pairs.map(pair => Math.min(2, pair.fees) * pair.tie))
  const judged = within(facts, 'vote_judged', now, year)
  const v = judged.length
  const m = judged.filter(fact => fact.withVerdict).length
  return { age: 20 * Math.min(1, age / 180), fees: (50 * phi) / (phi + 25), votes: v === 0 ? 0 : (30 * m * m) / ((m + 20) * v) }
}

const bondReliability = ({ bond, days, loss }: ReturnType<typeof bondAddends>): number => (bond + days) * (1 - loss)

/** `loss` is the share of both that slashes cost. */
export function bondAddends(facts: readonly Dated[], now: Date) {
  const slashes = appliedSlashes(within(facts, 'slash', now, year), now).length
  const clean = within(facts, 'bond_lock_ended', now, year).filter(fact => fact.clean).length
  const loss = slashes === 0 ? 0 : slashes / (slashes + clean)
  return { bond: 60 * Math.min(1, meanBond(facts, now) / 500), days: 40 * Math.min(1, bondedDays(facts, now) / 90), loss }
}

const monthMs = 30 * dayMs

/** Time-weighted mean of the whole bond over 30 days, USDC. */
function meanBond(facts: readonly Dated[], now: Date): number {
  const start = now.getTime() - monthMs
  const changes = within(facts, 'bond', now)
  const weighted = changes.map((fact, at) => {
    const from = Math.max(start, fact.at.getTime())
    const to = changes[at + 1]?.at.getTime() ?? now.getTime()
    return usdcOf(fact.total) * Math.max(0, to - from)
  })
  return sum(weighted) / monthMs
}

/** Whole days in a row, up to now, with a bond that counts. */
function bondedDays(facts: readonly Dated[], now: Date): number {
  let since: Date | undefined
  for (const fact of within(facts, 'bond', now)) since = isBonded(usdcOf(fact.total)) ? (since ?? fact.at) : undefined
  return since ? daysBetween(since, now) : 0
}

export function ecosystemAddends(facts: readonly Dated[], pairs: readonly Pair[], now: Date) {
  const creditOf = new Map(pairs.map(pair => [pair.counterparty, credit(pair)]))
  const excused = new Set(within(facts, 'vote_excused', now).map(fact => fact.validationId))
  const requested = within(facts, 'vote_asked', now, year).filter(fact => !excused.has(fact.validationId)).length
  const voted = within(facts, 'vote_cast', now, year).length
  const p = requested === 0 ? 0 : Math.min(1, voted / requested)
  const c = sum(pairs.filter(pair => pair.asPoster > 0).map(credit))
  return {
    reviews: reviewSignal(facts, creditOf, now),
    followers: 20 * Math.min(1, followSignal(facts, creditOf, now) / 5),
    duty: 20 * p * Math.min(1, requested / 10),
    hiring: 20 * Math.min(1, c / 10),
  }
}

function reviewSignal(facts: readonly Dated[], creditOf: ReadonlyMap<string, number>, now: Date): number {
  const latest = new Map(within(facts, 'reviewed', now, year).map(fact => [fact.by, fact.rating]))
  const weights = [...latest].map(([by, rating]) => ({ weight: creditOf.get(by) ?? 0, share: (rating - 1) / 4 }))
  const r = sum(weights.map(entry => entry.weight))
  return r === 0 ? 0 : (40 * Math.min(1, r / 3) * sum(weights.map(entry => entry.weight * entry.share))) / r
}

function followSignal(facts: readonly Dated[], creditOf: ReadonlyMap<string, number>, now: Date): number {
  const followers = new Map<string, number>()
  for (const fact of facts) {
    if (fact.at > now) continue
    if (fact.type === 'followed') followers.set(fact.by, clamp((fact.theirScore - 15) / 55, 0, 1) / Math.max(1, fact.theirFollows / 20))
    if (fact.type === 'unfollowed') followers.delete(fact.by)
  }
  return sum([...followers].filter(([by]) => creditOf.has(by)).map(([, weight]) => weight))
}
