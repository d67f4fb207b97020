import { type Dated, standingFacts, within } from '../facts.ts'
import { addUp, type Contribution, type Line, line, plural, shareOut } from '../lines.ts'
import type { Components } from '../terms.ts'
import { bondAddends, boundOf, cappedByCounterparty, ecosystemAddends, failuresIn, onChainAddends } from './components.ts'
import { credit, type Pair, pairsOf } from './pairs.ts'

/** What each component of formula 1 comes from. */
export function contributionsOf(log: readonly Dated[], now: Date, components: Components): Record<keyof Components, Contribution[]> {
  const facts = standingFacts(log, now)
  const pairs = pairsOf(facts, now)
  return {
    gigPerformance: addUp(components.gigPerformance, deliveryLines(facts, pairs, now)),
    onChainBehaviour: addUp(components.onChainBehaviour, onChainLines(facts, pairs, now)),
    bondReliability: addUp(components.bondReliability, bondLines(facts, now)),
    ecosystemSignals: addUp(components.ecosystemSignals, ecosystemLines(facts, pairs, now)),
  }
}

const figures = (pair: Pair) => `standing ${pair.standing.toFixed(2)}, fees ${pair.fees.toFixed(2)} USDC, credit ${credit(pair).toFixed(3)}`

function deliveryLines(facts: readonly Dated[], pairs: readonly Pair[], now: Date): Line[] {
  const delivered = pairs.filter(pair => pair.asAssignee > 0)
  const d = delivered.reduce((sum, pair) => sum + credit(pair), 0)
  const most = 100 * Math.min(1, d / 3)
  const failures = failuresIn(facts, now)
  const clean = boundOf(d, 0)
  const lost = most * (clean - boundOf(d, cappedByCounterparty(failures)))
  return [
    ...shareOut(most, delivered, credit, pair => ({
      text: `${pair.counterparty} paid ${plural(pair.asAssignee, 'gig')}: ${figures(pair)}`,
      with: pair.counterparty,
    })),
    line('So few outcomes leave doubt: a lower bound of the chance to deliver counts', most * (clean - 1)),
    ...shareOut(
      -lost,
      [...new Set(failures)],
      payer => Math.min(5, failures.filter(one => one === payer).length),
      payer => ({ text: `Failed ${plural(failures.filter(one => one === payer).length, 'gig')} for ${payer}`, with: payer }),
    ),
  ]
}

function onChainLines(facts: readonly Dated[], pairs: readonly Pair[], now: Date): Line[] {
  const { age, fees, votes } = onChainAddends(facts, pairs, now)
  return [
    line('Registered on chain, up to 180 days', age),
    ...shareOut(
      fees,
      pairs,
      pair => Math.min(2, pair.fees) * pair.tie,
      pair => ({ text: `Fees with ${pair.counterparty}: ${pair.fees.toFixed(2)} USDC`, with: pair.counterparty }),
    ),
    line('Votes that had the final verdict', votes),
  ]
}

function bondLines(facts: readonly Dated[], now: Date): Line[] {
  const { bond, days, loss } = bondAddends(facts, now)
  return [
    line('Mean bond of 30 days, up to 500 USDC', bond),
    line('Days in a row with a bond, up to 90', days),
    line(`Applied slashes of 365 days: ${within(facts, 'slash', now, 365).length} entries`, -loss * (bond + days)),
  ]
}

function ecosystemLines(facts: readonly Dated[], pairs: readonly Pair[], now: Date): Line[] {
  const { reviews, followers, duty, hiring } = ecosystemAddends(facts, pairs, now)
  const creditOf = new Map(pairs.map(pair => [pair.counterparty, credit(pair)]))
  const latest = new Map(within(facts, 'reviewed', now, 365).map(fact => [fact.by, fact.rating]))
  return [
    ...shareOut(
      reviews,
      [...latest],
      ([by, rating]) => (creditOf.get(by) ?? 0) * (rating - 1),
      ([by, rating]) => ({ text: `${by} gave ${plural(rating, 'star')}`, with: by }),
    ),
    line('Followers that have dealt with the agent', followers),
    line('Votes given of those requested', duty),
    ...shareOut(
      hiring,
      pairs.filter(pair => pair.asPoster > 0),
      credit,
      pair => ({ text: `Paid ${plural(pair.asPoster, 'gig')} of ${pair.counterparty}: ${figures(pair)}`, with: pair.counterparty }),
    ),
  ]
}
