import { type Credit, type Credits, creditsOf, isMature } from './credits.ts'
import { type Decimal, max, millionths, min, one, ratio, root, shareAbove, times, whole } from './decimal.ts'
import { failuresPerPair, perPair, windowMs } from './pairs.ts'
import type { State } from './state.ts'
import type { Tuning } from './tuning.ts'

/** How reliably an agent delivers, and by how much credit that is known (behaviour 17.10). */
export interface Quality {
  credits: readonly Credit[]
  byCounterparty: Credits
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
  /** By how much credit that is known, 0 to 1. */
  known: Decimal
  /** g = Q·known */
  good: Decimal
}

const lastOutcomes = 10

/** Sums over the counterparties, by weight. */
function sumsOver(credits: readonly Credit[], isLeftOut: (credit: Credit) => boolean) {
  let [credit, paid, missed, squares] = [0n, 0n, 0n, 0n]
  let [smallPaid, smallMissed, largePaid, largeMissed] = [0n, 0n, 0n, 0n]
  for (const entry of credits) {
    const { word, missedWord, counts, credit: own } = entry
    credit += own
    paid += word * counts.settled
    missed += missedWord * counts.failed
    squares += word * word * counts.settled + missedWord * missedWord * counts.failed
    smallPaid += word * counts.smallSettled
    largePaid += word * counts.largeSettled
    if (isLeftOut(entry)) continue
    smallMissed += missedWord * counts.smallFailed
    largeMissed += missedWord * counts.largeFailed
  }
  return { credit, paid, missed, squares, small: { paid: smallPaid, missed: smallMissed }, large: { paid: largePaid, missed: largeMissed } }
}

export function qualityOf(state: State, now: number, tuning: Tuning): Quality {
  const credits = creditsOf(state, now, tuning)
  const byCounterparty = new Map(credits.map(entry => [entry.counterparty, entry]))
  // of size and form: anybody can make failures for payers of little standing
  const isLeftOut = ({ hasLittleStanding }: Credit) => hasLittleStanding && isMature(state, now)
  const sums = sumsOver(credits, isLeftOut)
  const perWeight = sums.squares === 0n ? 0n : ((sums.paid + sums.missed) * one * one) / sums.squares
  const [settled, failed] = [times(perWeight, sums.paid), times(perWeight, sums.missed)]
  const n = settled + failed
  const chance = ratio(settled + (3n * one) / 2n, n + whole(2))
  const known = knownOf(credits, sums.credit, isMature(state, now), tuning)
  const parts = { credits, byCounterparty, credit: sums.credit, perWeight, settled, failed, chance, known }
  const bound = boundOf(chance, n, tuning)
  const size = sizeOf(parts, sums, tuning)
  const form = formOf({ ...parts, isLeftOut }, state, now, tuning)
  const quality = qualityFrom(times(times(bound, size), form), tuning)
  return { ...parts, bound, size, form, quality, good: times(quality, known) }
}

/**
 * (1 − w)·D/(D + h) + w·Dⁿ/(Dⁿ + dⁿ): what a few payers say, and what needs many. In a young market anybody makes credit, so it is by fees,
 * and little: nobody is known there.
 */
function knownOf(
  credits: readonly Credit[],
  credit: Decimal,
  isMature: boolean,
  { knownHalf, manyShare, manyHalf, manyPower, young }: Tuning,
): Decimal {
  if (isMature) {
    const few = ratio(credit, credit + millionths(knownHalf))
    const share = millionths(manyShare)
    return times(one - share, few) + times(share, shareAbove(credit, millionths(manyHalf), manyPower))
  }
  const fees = credits.reduce((sum, { feesPaid }) => sum + feesPaid, 0n)
  return times(millionths(young.known), ratio(fees, fees + millionths(young.knownHalfMicro)))
}

/** p − ½·√(p(1−p)/(n+3)) */
export const boundOf = (chance: Decimal, n: Decimal, { doubt }: Tuning): Decimal =>
  chance - times(millionths(doubt), root(ratio(times(chance, one - chance), n + whole(3))))

/** What is left above the cut-off, 0 to 1. */
export const qualityFrom = (value: Decimal, { cutOff }: Tuning): Decimal => ratio(max(0n, value - millionths(cutOff)), one - millionths(cutOff))

type Outcomes = Pick<Quality, 'byCounterparty' | 'perWeight' | 'chance'>

/** Below 1 for an agent that is good on small gigs and fails on large ones. One of unknown size counts for neither. */
function sizeOf({ perWeight, chance }: Outcomes, { small, large }: Pick<ReturnType<typeof sumsOver>, 'small' | 'large'>, tuning: Tuning): Decimal {
  const rate = ({ paid, missed }: typeof small): Decimal => {
    const [s, f] = [times(perWeight, paid), times(perWeight, missed)]
    return ratio(s + 4n * chance, s + f + whole(4))
  }
  const worse = max(0n, rate(small) - rate(large) - millionths(tuning.sizeTolerance))
  return max(0n, one - times(millionths(tuning.sizeSlope), worse))
}

/**
 * Below 1 for an agent whose last ten outcomes, at most so many of a payer, are worse than all of them. By `words` they are ten by what they count, so
 * that those which say little do not push out the others.
 */
function formOf(
  { byCounterparty, perWeight, chance, isLeftOut }: Outcomes & { isLeftOut: (credit: Credit) => boolean },
  state: State,
  now: number,
  tuning: Tuning,
): Decimal {
  const most = { settled: perPair, failed: failuresPerPair(tuning) }
  const counts = new Map<string, { settled: number; failed: number }>()
  let counted = 0n
  for (const outcome of newestFirst(state.outcomes, now)) {
    const credit = byCounterparty.get(outcome.with)!
    if (isLeftOut(credit)) continue
    const count = counts.get(outcome.with) ?? { settled: 0, failed: 0 }
    const isFull = count[outcome.type] === most[outcome.type]
    if (!isFull) count[outcome.type] += 1
    counts.set(outcome.with, count)
    // by `words`, those beyond what one payer may say do not replace others
    if (isFull && tuning.words) continue
    counted += tuning.words ? times(perWeight, outcome.type === 'failed' ? credit.missedWord : credit.word) : one
    if (counted >= whole(lastOutcomes)) break
  }
  let [paid, missed] = [0n, 0n]
  for (const [counterparty, { settled, failed }] of counts) {
    const { word, missedWord } = byCounterparty.get(counterparty)!
    paid += word * BigInt(settled)
    missed += missedWord * BigInt(failed)
  }
  const [s, f] = [times(perWeight, paid), times(perWeight, missed)]
  const recent = ratio(s + 2n * chance, s + f + whole(2))
  const share = min(one, ratio(recent, chance) + millionths(tuning.formTolerance))
  return times(share, share)
}

function* newestFirst(outcomes: State['outcomes'], now: number): Generator<State['outcomes'][number]> {
  for (let at = outcomes.length - 1; at >= 0 && outcomes[at]!.at.getTime() > now - windowMs; at -= 1) yield outcomes[at]!
}
