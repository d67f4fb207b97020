import { appliedSlashes, clamp, type Dated, daysBetween, round1 } from '../facts.ts'
import { decayOf, type Score, scoreWeights, startScore, tierOf } from '../terms.ts'
import { componentsOf } from './components.ts'
import { pairsOf } from './pairs.ts'

const maxPenalty = 30

/** FusedScore of formula 1 (behaviour 17.1): a pure function of the audit log and the moment. */
export function scoreOf(facts: readonly Dated[], now: Date): Score {
  const components = componentsOf(facts, pairsOf(facts, now), now)
  const decay = decayOf(idleDays(facts, now))
  const penalty = penaltyOf(facts, now)
  const w = (Object.keys(scoreWeights) as (keyof typeof scoreWeights)[]).reduce((sum, name) => sum + scoreWeights[name] * components[name], 0)
  const migrated = facts.some(fact => fact.type === 'migrated' && fact.at <= now)
  const fusedScore = migrated ? 0 : round1(clamp(startScore + 0.85 * w * decay - penalty, 0, 100))
  return { fusedScore, tier: tierOf(fusedScore), components, penalty, decay }
}

/** Whole days since the agent was last seen. */
export function idleDays(facts: readonly Dated[], now: Date): number {
  const seen = facts.filter(fact => (fact.type === 'seen' || fact.type === 'registered' || fact.type === 'vote_cast') && fact.at <= now)
  return seen.length ? daysBetween(new Date(Math.max(...seen.map(fact => fact.at.getTime()))), now) : 0
}

function penaltyOf(facts: readonly Dated[], now: Date): number {
  const points: number[] = appliedSlashes(facts, now).map(({ at }) => {
    const days = daysBetween(at, now)
    return days < 90 ? 5 : days < 180 ? 2.5 : 0
  })
  return Math.min(
    maxPenalty,
    points.reduce((sum, value) => sum + value, 0),
  )
}
