import { daysBetween } from '../facts.ts'
import { type Components, decayOf, type Score, scoreWeights, startScore, tierOf } from '../terms.ts'
import { appliedIn, type Part, partsOf } from './components.ts'
import { type Decimal, max, millionths, min, one, ratio, tenths, times, whole } from './decimal.ts'
import { type Quality, qualityOf } from './quality.ts'
import { advance, type State } from './state.ts'
import type { Tuning } from './tuning.ts'

/** A score with everything it was computed from. */
export interface Figures {
  score: Score
  quality: Quality
  parts: Record<keyof Components, Part[]>
  idleDays: number
}

/** The score by a formula's numbers (behaviour 17.10) at a moment that is not earlier than one before. */
export function figuresOf(state: State, now: Date, tuning: Tuning): Figures {
  advance(state, now)
  const quality = qualityOf(state, now.getTime(), tuning)
  const parts = partsOf(state, quality, now, tuning)
  const idleDays = Number.isFinite(state.lastActive) ? daysBetween(new Date(state.lastActive), now) : 0
  const componentIn = (name: keyof Components) =>
    tenths(
      max(
        0n,
        parts[name].reduce((sum, { value }) => sum + value, 0n),
      ),
    )
  const inTenths = {
    gigPerformance: componentIn('gigPerformance'),
    onChainBehaviour: componentIn('onChainBehaviour'),
    bondReliability: componentIn('bondReliability'),
    ecosystemSignals: componentIn('ecosystemSignals'),
  }
  const score = scoreFrom(inTenths, {
    decay: decayOf(idleDays),
    penalty: tenths(penaltyOf(state, quality, now, tuning)),
    hasMigrated: state.hasMigrated,
  })
  return { score, quality, parts, idleDays }
}

/** 15 + 0.85·W·decay − penalty on whole millionths: no digit is lost before the one rounding to tenths. */
function scoreFrom(inTenths: Components, { decay, penalty, hasMigrated }: { decay: Score['decay']; penalty: number; hasMigrated: boolean }): Score {
  const names = Object.keys(scoreWeights) as (keyof Components)[]
  const weighted = names.reduce((sum, name) => sum + Math.round(100 * scoreWeights[name]) * inTenths[name], 0)
  const micro = startScore * 1_000_000 + weighted * 85 * Math.round(10 * decay) - penalty * 100_000
  const fusedScore = hasMigrated ? 0 : Math.min(1000, Math.max(0, Math.floor((micro + 50_000) / 100_000))) / 10
  const components = Object.fromEntries(names.map(name => [name, inTenths[name] / 10])) as Components
  return { fusedScore, tier: tierOf(fusedScore), components, penalty: penalty / 10, decay }
}

/** A slash after a verdict is small: its failure counts already. */
const slashPoints = { verdict: [10n, 5n], decision: [50n, 25n] } as const

/** What a share has above a tolerance, 0 to 1. */
const beyond = (share: Decimal, tolerance: Decimal): Decimal => ratio(max(0n, share - tolerance), one - tolerance)

/** For slashes, at most 30, for failing more often than not, and for failing while little is known: one who begins again is not better than it was. */
function penaltyOf(
  state: State,
  { credit, chance, settled, failed }: Quality,
  now: Date,
  { knownHalf, unknownPenalty, unknownTolerance }: Tuning,
): Decimal {
  const slashes = appliedIn(state).reduce((sum, { at, cause = 'decision' }) => {
    const days = daysBetween(at, now)
    const [fresh, old] = slashPoints[cause]
    return sum + (days < 90 ? fresh : days < 180 ? old : 0n)
  }, 0n)
  const failing = 20n * times(max(0n, one / 2n - chance), min(one, (settled + failed) / 3n))
  const n = settled + failed
  const unknown =
    n === 0n ? 0n : times(ratio(millionths(knownHalf), credit + millionths(knownHalf)), beyond(ratio(failed, n), millionths(unknownTolerance)))
  return min(whole(30), ratio(slashes, 10n)) + failing + BigInt(unknownPenalty) * unknown
}
