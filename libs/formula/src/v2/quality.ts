import { dayMs } from '../facts.ts'
import { type Credit, creditsOf } from './credits.ts'
import { type Decimal, max, millionths, min, one, ratio, root, times, unit, whole } from './decimal.ts'
import type { State } from './state.ts'
import type { Tuning } from './tuning.ts'

/** How reliably an agent delivers, and by how much credit that is known (behaviour 17.3). */
export interface Quality {
  credits: readonly Credit[]
  /** D */
  credit: Decimal
  /** k: weights in numbers of outcomes. */
  perWeight: Decimal
  settled: Decimal
  failed: Decimal
  /** p, and its lower bound. */
  chance: Decimal
  bound: Decimal
  size: Decimal
  form: Decimal
  /** Q */
  quality: Decimal
  /** min(1, D/3) */
  known: Decimal
  /** g = Q·min(1, D/3) */
  good: Decimal
}

const largeFrom = 50_000_000n
const lastOutcomes = 10
const perPair = 3

export function qualityOf(state: State, now: number, tuning: Tuning): Quality {
  const credits = creditsOf(state, now, tuning)
  const sum = (of: (entry: Credit) => Decimal) => credits.reduce((total, entry) => total + of(entry), 0n)
  const paid = sum(entry => entry.weight * BigInt(entry.settled.length))
  const missed = sum(entry => entry.failWeight * BigInt(entry.failed.length))
  const squares = sum(
    entry =>
      times(entry.weight, entry.weight) * BigInt(entry.settled.length) + times(entry.failWeight, entry.failWeight) * BigInt(entry.failed.length),
  )
  const perWeight = squares === 0n ? 0n : ratio(paid + missed, squares)
  const [settled, failed, credit] = [times(perWeight, paid), times(perWeight, missed), sum(entry => entry.credit)]
  const n = settled + failed
  const chance = ratio(settled + (3n * one) / 2n, n + whole(2))
  const known = unit(ratio(credit, millionths(tuning.fullCredit)))
  const parts = { credits, credit, perWeight, settled, failed, chance, known }
  const bound = boundOf(chance, n, tuning)
  const size = sizeOf(parts, tuning)
  const form = formOf(parts, state, now, tuning)
  const quality = qualityFrom(times(times(bound, size), form), tuning)
  return { ...parts, bound, size, form, quality, good: times(quality, known) }
}

/** p − ½·√(p(1−p)/(n+3)) */
export const boundOf = (chance: Decimal, n: Decimal, { doubt }: Tuning): Decimal =>
  chance - times(millionths(doubt), root(ratio(times(chance, one - chance), n + whole(3))))

/** What is left above the cut-off, 0 to 1. */
export const qualityFrom = (value: Decimal, { cutOff }: Tuning): Decimal => ratio(max(0n, value - millionths(cutOff)), one - millionths(cutOff))

type Outcomes = Pick<Quality, 'credits' | 'perWeight' | 'chance'>

/** Below 1 for an agent that is good on small gigs and fails on large ones. One of unknown size counts for neither. */
function sizeOf({ credits, perWeight, chance }: Outcomes, tuning: Tuning): Decimal {
  const rate = (isLarge: boolean): Decimal => {
    const fits = (budget: bigint) => budget >= largeFrom === isLarge
    let [paid, missed] = [0n, 0n]
    for (const { settled, failed, weight, failWeight } of credits) {
      paid += weight * BigInt(settled.filter(({ net, fee }) => fits(BigInt(net) + BigInt(fee))).length)
      missed += failWeight * BigInt(failed.filter(({ budget }) => budget !== undefined && fits(BigInt(budget))).length)
    }
    const [s, f] = [times(perWeight, paid), times(perWeight, missed)]
    return ratio(s + 4n * chance, s + f + whole(4))
  }
  const worse = max(0n, rate(false) - rate(true) - millionths(tuning.sizeTolerance))
  return max(0n, one - times(millionths(tuning.sizeSlope), worse))
}

/** Below 1 for an agent whose last ten outcomes are worse than all of them. */
function formOf({ credits, perWeight, chance }: Outcomes, { outcomes }: State, now: number, { formTolerance }: Tuning): Decimal {
  const weights = new Map(credits.map(entry => [entry.counterparty, entry]))
  const counts = new Map<string, { settled: number; failed: number }>()
  for (let at = outcomes.length - 1; at >= Math.max(0, outcomes.length - lastOutcomes); at -= 1) {
    const outcome = outcomes[at]!
    if (outcome.at.getTime() <= now - 365 * dayMs) break
    const count = counts.get(outcome.with) ?? { settled: 0, failed: 0 }
    count[outcome.type] = Math.min(perPair, count[outcome.type] + 1)
    counts.set(outcome.with, count)
  }
  let [paid, missed] = [0n, 0n]
  for (const [counterparty, { settled, failed }] of counts) {
    const { weight, failWeight } = weights.get(counterparty)!
    paid += weight * BigInt(settled)
    missed += failWeight * BigInt(failed)
  }
  const [s, f] = [times(perWeight, paid), times(perWeight, missed)]
  const recent = ratio(s + 2n * chance, s + f + whole(2))
  const share = min(one, ratio(recent, chance) + millionths(formTolerance))
  return times(share, share)
}
