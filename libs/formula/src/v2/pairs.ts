import { type CounterpartyChange, dayMs, type Of } from '../facts.ts'
import type { Credit } from './credits.ts'
import { type Decimal, millionths, one, ratio, unit } from './decimal.ts'
import { compare, insert } from './timeline.ts'
import type { Tuning } from './tuning.ts'

/** A gig or job that ended: paid, or failed by the assignee. */
export type Outcome = Of<'settled'> | Of<'failed'>

/** What a counterparty has become, and since when that is known. */
export type DatedChange = CounterpartyChange & { at: Date }

/** Everything between an agent and one counterparty. What it sums to is computed again only when an outcome comes, or leaves the 365 days. */
export interface Pair {
  outcomes: Outcome[]
  /** What the counterparty has become since, in order. */
  changed: DatedChange[]
  sums: Sums | undefined
  /** The credit that was last made of the sums. */
  credit?: { sums: Sums; isYoung: boolean; isTied: boolean; credit: Credit }
}

export interface Sums {
  /** Until when they hold. */
  until: number
  /** The newest three gigs that the counterparty paid, and those that the agent failed for it: also three, or by `words` the largest. */
  settled: readonly Of<'settled'>[]
  failed: readonly Of<'failed'>[]
  /** How many of them, small and large; a failure of unknown size is neither. */
  counts: { settled: Decimal; failed: Decimal; smallSettled: Decimal; smallFailed: Decimal; largeSettled: Decimal; largeFailed: Decimal }
  /** Fees that it paid, and that the agent paid for it. */
  feesPaid: Decimal
  feesSpent: Decimal
  wasHired: boolean
  hasHired: boolean
  /** Of the counterparty as payer, without any floor, as it is known last. */
  theirStanding: Decimal
  /** When the newest outcome was. */
  at: number
  /** Of the counterparty as worker, 0 to 1: how much those who paid it gain. */
  theirRep: Decimal
}

export const windowMs = 365 * dayMs
export const perPair = 3
/** Failures of one payer that count. Where words count it is one: a payer alone can make as many as it likes. */
export const failuresPerPair = ({ words }: Tuning): number => words?.failures ?? perPair

export function addOutcome(pair: Pair, outcome: Outcome): void {
  insert(pair.outcomes, outcome, compare)
  pair.sums = undefined
}

export function addChange(pair: Pair, change: DatedChange): void {
  insert(pair.changed, change, compare)
  pair.sums = undefined
}

export function removeOutcome(pair: Pair, outcome: Outcome): void {
  pair.outcomes.splice(pair.outcomes.indexOf(outcome), 1)
  pair.sums = undefined
}

/** @returns undefined where nothing happened between them in 365 days */
export function sumsOf(pair: Pair, now: number, tuning: Tuning): Sums | undefined {
  if (pair.sums === undefined || pair.sums.until <= now) pair.sums = sum(pair, now, tuning)
  return pair.sums.settled.length + pair.sums.failed.length > 0 || pair.sums.hasHired ? pair.sums : undefined
}

function sum({ outcomes, changed }: Pair, now: number, tuning: Tuning): Sums {
  const recent = outcomes.filter(({ at }) => at.getTime() > now - windowMs)
  const paid = recent.filter((one): one is Of<'settled'> => one.type === 'settled' && one.role === 'assignee' && one.creditable)
  const failed = recent.filter((one): one is Of<'failed'> => one.type === 'failed')
  const spent = recent.filter((one): one is Of<'settled'> => one.type === 'settled' && one.role === 'poster' && one.creditable)
  const theirs = recent.findLast(one => (one.type === 'failed' && one.theirStanding !== undefined) || paid.includes(one as Of<'settled'>))
  const since = tuning.changeStep === undefined ? [] : changed
  const payer = newer(
    theirs,
    since.findLast(({ theirStanding }) => theirStanding !== undefined),
  )
  const worker = newer(
    spent.at(-1),
    since.findLast(({ theirCredit }) => theirCredit !== undefined),
  )
  const [settledNow, failedNow] = [paid.slice(-perPair), failuresThatCount(failed, tuning)]
  return {
    until: (recent[0]?.at.getTime() ?? Number.POSITIVE_INFINITY) + windowMs,
    settled: settledNow,
    failed: failedNow,
    counts: countsOf(settledNow, failedNow),
    feesPaid: feesOf(paid),
    feesSpent: feesOf(spent),
    wasHired: paid.length > 0,
    hasHired: spent.length > 0,
    theirStanding: payer ? standingIn(payer) : 0n,
    at: (theirs ?? recent.at(-1))?.at.getTime() ?? 0,
    theirRep: spent.length > 0 && worker ? repIn(worker, tuning) : 0n,
  }
}

/** The newest ones, or the largest: a small one that follows a large one is no better than that. */
function failuresThatCount(failed: readonly Of<'failed'>[], tuning: Tuning): readonly Of<'failed'>[] {
  const count = failuresPerPair(tuning)
  return tuning.words ? failed.toSorted((a, b) => Number(BigInt(a.budget ?? 0) - BigInt(b.budget ?? 0))).slice(-count) : failed.slice(-count)
}

const largeFrom = 50_000_000n

function countsOf(settled: readonly Of<'settled'>[], failed: readonly Of<'failed'>[]): Sums['counts'] {
  const paid = settled.map(({ net, fee }) => BigInt(net) + BigInt(fee))
  const missed = failed.flatMap(({ budget }) => (budget === undefined ? [] : [BigInt(budget)]))
  const count = (budgets: readonly bigint[], isLarge: boolean) => BigInt(budgets.filter(budget => budget >= largeFrom === isLarge).length)
  return {
    settled: BigInt(settled.length),
    failed: BigInt(failed.length),
    smallSettled: count(paid, false),
    smallFailed: count(missed, false),
    largeSettled: count(paid, true),
    largeFailed: count(missed, true),
  }
}

const feesOf = (settled: readonly Of<'settled'>[]): Decimal => settled.reduce((total, { fee }) => total + millionths(fee), 0n)

/** How much of a worker's credit counts for the standing of its payers: 0 up to the credit that a closed group can reach. */
export const repOf = (credit: Decimal, { vouchFrom, vouchRange }: Tuning): Decimal =>
  unit(ratio(credit - millionths(vouchFrom), millionths(vouchRange)))

/** A fact without the number is of formula 1: its score counts half as much as it did there, and so never vouches alone. */
const standingIn = (fact: Outcome | DatedChange): Decimal => {
  if (fact.theirStanding !== undefined) return millionths(fact.theirStanding)
  return isSettled(fact) ? byScore(fact.theirScore) : 0n
}
function repIn(fact: Of<'settled'> | DatedChange, tuning: Tuning): Decimal {
  if (fact.theirCredit !== undefined) return repOf(millionths(fact.theirCredit), tuning)
  return isSettled(fact) ? byScore(fact.theirScore) : 0n
}

const isSettled = (fact: Outcome | DatedChange): fact is Of<'settled'> => 'type' in fact && fact.type === 'settled'

const newer = <A extends { at: Date }, B extends { at: Date }>(one: A | undefined, other: B | undefined): A | B | undefined =>
  one && other ? (one.at > other.at ? one : other) : (one ?? other)

const byScore = (score: number): Decimal => unit(ratio(BigInt(Math.round(score * 10) - 150) * one, 550n * one)) / 2n
