import { type Dated, dayMs, daysBetween, type Fact, within } from './facts.ts'
import { type Formula, formulas } from './formulas.ts'
import type { Contribution } from './lines.ts'
import { type Components, type FormulaVersion, type Score, scoreWeights, startScore } from './terms.ts'
import { tunings } from './tunings.ts'
import { contributionsOf as contributionsOf1 } from './v1/explain.ts'
import { idleDays } from './v1/score.ts'
import { contributionsOf as contributionsWith } from './v2/explain.ts'

export interface Explanation extends Score {
  formulaVersion: FormulaVersion
  /** What an agent has without any activity. */
  start: number
  /** What each component adds to the score, and what it comes from: contributions add up to the value exactly. */
  parts: Record<keyof Components, { value: number; weight: number; points: number; contributions: Contribution[] }>
  /** What would raise the score, and by how much within 30 days. */
  raises: { text: string; points: number }[]
  /** What the score will lose in 30 days if nothing happens. */
  decays: { at: string; from: number; to: number; text: string }[]
}

type Steps<T> = Generator<undefined, T, undefined>

const contributionsOf = (version: FormulaVersion, ...given: Parameters<typeof contributionsOf1>) =>
  version === '1' ? contributionsOf1(...given) : contributionsWith(...given, tunings[version])
const horizonDays = 30

/** Why a score is what it is, in words and numbers that add up. @example explain('2', [], now).parts.gigPerformance.contributions // [] */
export function explain(version: FormulaVersion, log: readonly Dated[], now: Date): Explanation {
  const steps = explaining(version, log, now)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The same with a pause after each score that it needs: they are about forty, and a server answers others between them. */
export function* explaining(version: FormulaVersion, log: readonly Dated[], now: Date): Steps<Explanation> {
  const formula = formulas[version]
  const score = formula.scoreOf(log, now)
  yield
  const contributions = contributionsOf(version, log, now, score.components)
  yield
  const partOf = (name: keyof Components) => {
    const [value, weight] = [score.components[name], scoreWeights[name]]
    return { value, weight, points: Math.round(100_000 * 0.85 * weight * value * score.decay) / 100_000, contributions: contributions[name] }
  }
  const parts = {
    gigPerformance: partOf('gigPerformance'),
    onChainBehaviour: partOf('onChainBehaviour'),
    bondReliability: partOf('bondReliability'),
    ecosystemSignals: partOf('ecosystemSignals'),
  }
  return {
    ...score,
    formulaVersion: version,
    start: startScore,
    parts,
    raises: yield* raisesOf(formula, log, now),
    decays: yield* decaysOf(formula, log, now),
  }
}

/** An agent that does not exist: the payer or worker of a gig that might come. */
const someone = 'someone'
const gig = { gigId: someone, fee: '1500000', net: '48500000', creditable: true, with: someone, theirScore: 70 } as const

const steps: readonly { text: string; facts: readonly Fact[] }[] = [
  { text: 'A gig of 50 USDC that a poster of good standing pays', facts: [{ type: 'settled', role: 'assignee', ...gig, theirStanding: 800_000 }] },
  { text: 'Hiring a worker of good standing for 50 USDC', facts: [{ type: 'settled', role: 'poster', ...gig, theirCredit: 2_000_000 }] },
  { text: 'A bond of 500 USDC', facts: [{ type: 'bond', total: '500000000', change: 'deposited' }] },
  { text: 'Registering on chain', facts: [{ type: 'onchain_confirmed', chain: someone }] },
  {
    text: 'Ten votes with the final verdict, as requested',
    facts: Array.from({ length: 10 }, (_, n): Fact[] => [
      { type: 'vote_asked', validationId: `${someone}-${n}` },
      { type: 'vote_cast', validationId: `${someone}-${n}` },
      { type: 'vote_judged', validationId: `${someone}-${n}`, withVerdict: true, vote: n < 8 ? 'approve' : 'reject' },
    ]).flat(),
  },
]

/** Each step alone, compared with doing nothing but being active. */
function* raisesOf(formula: Formula, log: readonly Dated[], now: Date): Steps<Explanation['raises']> {
  const later = new Date(now.getTime() + horizonDays * dayMs)
  const active = [...log, { type: 'seen', at: later } as const]
  const scoreWith = (facts: readonly Dated[]) => formula.scoreOf(facts, later).fusedScore
  const idle = scoreWith(log)
  yield
  const base = scoreWith(active)
  const gains = [{ text: 'A heartbeat or another signed call within 30 days', points: gain(idle, base) }]
  for (const { text, facts } of steps) {
    yield
    gains.push({ text, points: gain(base, scoreWith([...active, ...facts.map(fact => ({ ...fact, at: now }))])) })
  }
  return gains.filter(({ points }) => points > 0).sort((a, b) => b.points - a.points)
}

const gain = (from: number, to: number): number => Math.round(10 * (to - from)) / 10

function* decaysOf(formula: Formula, log: readonly Dated[], now: Date): Steps<Explanation['decays']> {
  const scoreAt = formula.scoresOf(log)
  const decays: Explanation['decays'] = []
  let before = scoreAt(now).fusedScore
  for (let day = 1; day <= horizonDays; day += 1) {
    const at = new Date(now.getTime() + day * dayMs)
    yield
    const { fusedScore } = scoreAt(at)
    if (fusedScore < before) decays.push({ at: at.toISOString(), from: before, to: fusedScore, text: reasonOf(log, at) })
    before = fusedScore
  }
  return decays
}

/** What changes on the day that ends then. */
function reasonOf(log: readonly Dated[], at: Date): string {
  const eve = new Date(at.getTime() - dayMs)
  const present = log.filter(fact => fact.at <= at)
  const idle = idleDays(present, at)
  const reasons = [
    ...([30, 90] as const).filter(days => idle >= days && idleDays(present, eve) < days).map(days => `no activity for ${days} days`),
    ...within(present, 'settled', eve, 365)
      .filter(fact => daysBetween(fact.at, at) >= 365)
      .map(fact => `a gig with ${fact.with} is 365 days ago`),
    ...within(present, 'reviewed', eve, 365)
      .filter(fact => daysBetween(fact.at, at) >= 365)
      .map(fact => `the review by ${fact.by} is 365 days ago`),
    ...(within(present, 'vote_judged', eve, 365).some(fact => daysBetween(fact.at, at) >= 365) ? ['votes are 365 days ago'] : []),
  ]
  return reasons.length > 0 ? reasons.join('; ') : 'the mean bond of 30 days, or a count of 365 days, is lower'
}
