import type { Dated } from '../facts.ts'
import { addUp, type Contribution, type Line, line, plural, shareOut } from '../lines.ts'
import type { Components } from '../terms.ts'
import { isRecentReview, type Part } from './components.ts'
import type { Credit } from './credits.ts'
import { type Decimal, one, ratio, times, whole } from './decimal.ts'
import { stateOf } from './formula.ts'
import { failuresPerPair, perPair } from './pairs.ts'
import { boundOf, type Quality, qualityFrom } from './quality.ts'
import { figuresOf } from './score.ts'
import type { State } from './state.ts'
import type { Tuning } from './tuning.ts'

/** What each component comes from, by a formula's numbers. */
export function contributionsOf(log: readonly Dated[], now: Date, components: Components, tuning: Tuning): Record<keyof Components, Contribution[]> {
  const state = stateOf(log)
  const { quality, parts } = figuresOf(state, now, tuning)
  const linesOf = (some: readonly Part[]) => some.flatMap(part => linesIn(part, quality, state, now))
  return {
    gigPerformance: addUp(components.gigPerformance, deliveryLines(quality, tuning)),
    onChainBehaviour: addUp(components.onChainBehaviour, linesOf(parts.onChainBehaviour)),
    bondReliability: addUp(components.bondReliability, linesOf(parts.bondReliability)),
    ecosystemSignals: addUp(components.ecosystemSignals, linesOf(parts.ecosystemSignals)),
  }
}

const points = (value: Decimal): number => Number((value * 100_000n) / one) / 100_000
const figures = ({ weight, feesPaid, credit }: Credit) =>
  `its standing counts ${points(weight).toFixed(3)}, fees ${points(feesPaid).toFixed(2)} USDC, credit ${points(credit).toFixed(3)}`

/** First what the credits would give alone, then what each doubt costs. */
function deliveryLines({ credits, known, perWeight, settled, chance, failed, bound, size, quality }: Quality, tuning: Tuning): Line[] {
  const most = 100 * points(known)
  const clean = qualityFrom(boundOf(ratio(settled + (3n * one) / 2n, settled + whole(2)), settled, tuning), tuning)
  const [afterFailures, afterSize] = [qualityFrom(bound, tuning), qualityFrom(times(bound, size), tuning)]
  const cost = (from: Decimal, to: Decimal) => most * points(to - from)
  const failing = credits.filter(entry => entry.failed.length > 0)
  return [
    ...shareOut(
      most,
      credits.filter(({ credit }) => credit > 0n),
      ({ credit }) => points(credit),
      entry => ({ text: `${entry.counterparty} paid ${gigs(entry.settled.length)}: ${figures(entry)}`, with: entry.counterparty }),
    ),
    line(`So few outcomes leave doubt: they count as ${points(settled + failed).toFixed(1)}`, cost(one, clean)),
    ...shareOut(
      cost(clean, afterFailures),
      failing,
      ({ missedWord, failed: some }) => points(times(perWeight, missedWord)) * some.length,
      entry => ({ text: `Failed ${gigs(entry.failed.length, failuresPerPair(tuning))} for ${entry.counterparty}`, with: entry.counterparty }),
    ),
    line(`Delivers large gigs less often than small ones (${percent(chance)} of all)`, cost(afterFailures, afterSize)),
    line('The last ten outcomes that count are worse than all of them', cost(afterSize, quality)),
  ]
}

const percent = (share: Decimal) => `${Math.round(100 * points(share))} %`
/** @param most how many of a pair count */
const gigs = (count: number, most = perPair) => (count < most ? plural(count, 'gig') : most === 1 ? '1 gig or more' : `${most} or more gigs`)

const texts: Readonly<Record<Exclude<Part['name'], 'delivery' | 'fees' | 'reviews' | 'hiring'>, string>> = {
  age: 'Days since the first paid work of a registered agent, up to 180',
  votes: 'Judgement: agreement with final verdicts, corrected for how often work is approved anyway',
  bond: 'Mean bond of 30 days, up to 500 USDC',
  bondedDays: 'Days in a row with a bond, up to 90',
  cleanLocks: 'Bond locks that ended clean',
  bondLoss: 'Applied slashes of 365 days',
  followers: 'Followers that have dealt with the agent',
  duty: 'Votes given of those requested',
  limit: 'More than 100 together',
}

function linesIn({ name, value }: Part, { credits }: Quality, { reviews }: State, now: Date): Line[] {
  switch (name) {
    case 'fees':
      return shareOut(
        points(value),
        credits.filter(({ feesPaid }) => feesPaid > 0n),
        ({ feesOnChain }) => points(feesOnChain),
        entry => ({ text: `Fees that ${entry.counterparty} paid: ${figures(entry)}`, with: entry.counterparty }),
      )
    case 'reviews': {
      const recent = new Map([...reviews].filter(([, review]) => isRecentReview(review, now)))
      return shareOut(
        points(value),
        credits.filter(({ counterparty }) => recent.has(counterparty)),
        ({ counterparty, credit }) => points(credit) * (recent.get(counterparty)!.rating - 1),
        ({ counterparty }) => ({ text: `${counterparty} gave ${plural(recent.get(counterparty)!.rating, 'star')}`, with: counterparty }),
      )
    }
    case 'hiring':
      return shareOut(
        points(value),
        credits.filter(({ hasHired }) => hasHired),
        ({ hiring }) => points(hiring),
        ({ counterparty }) => ({ text: `Paid ${counterparty}, whose work others pay too`, with: counterparty }),
      )
    case 'delivery':
      return []
    default:
      return [line(texts[name], points(value))]
  }
}
