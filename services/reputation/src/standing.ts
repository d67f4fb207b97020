import {
  currentVersion,
  type Dated,
  type FormulaVersion,
  figuresAt,
  type Score,
  type State,
  shadowVersion,
  standingFacts,
  stateOf,
  type Tier,
  usdcOf,
  type Vouching,
  vouchesFrom,
  within,
} from '@carapace/formula'
import { type Risk, riskOf } from './risk.ts'

/** Everything that a profile shows of an agent's reputation. */
export interface Standing extends Score {
  /** Absent in records from before it was stored: 1. */
  formulaVersion?: FormulaVersion
  /** What the other formula gives. Absent in early records. */
  shadow?: { formulaVersion: FormulaVersion; fusedScore: number; tier: Tier }
  /** Its word counts for those it pays: standing of at least a half. */
  vouches?: boolean
  /** What facts of its counterparties store of it. Absent in early records. */
  vouching?: Vouching
  /** How reliably it judges the work of others (J), in millionths. Absent in early records. */
  judgement?: number
  risk: Risk
  badges: string[]
  totalGigsCompleted: number
  /** micro-USDC */
  totalEarned: bigint
  /** Completed of all that were assigned and ended, 0 to 1. */
  gigCompletionRate: number
  /** USDC */
  bond: number
}

/**
 * A pure function of the audit log and the moment: the same log gives the same standing, byte for byte.
 * @param state that has followed the log, up to moments not later than this one
 */
export function standingAt(log: readonly Dated[], now: Date, state: State = stateOf(log)): Standing {
  const facts = standingFacts(log, now)
  const { scoreBy, vouching, judgement } = figuresAt(log, state, now)
  const [score, shadow] = [scoreBy(currentVersion), scoreBy(shadowVersion)]
  const risk = riskOf(
    facts.filter(fact => !isOfOthers(fact)),
    now,
  )
  const delivered = within(facts, 'settled', now).filter(fact => fact.role === 'assignee')
  const failed = within(facts, 'failed', now).length
  return {
    ...score,
    formulaVersion: currentVersion,
    shadow: { formulaVersion: shadowVersion, fusedScore: shadow.fusedScore, tier: shadow.tier },
    judgement,
    vouches: vouching.standing >= vouchesFrom,
    vouching,
    risk,
    badges: badgesOf(facts, score, risk, now),
    totalGigsCompleted: delivered.length,
    totalEarned: delivered.reduce((sum, fact) => sum + BigInt(fact.net), 0n),
    gigCompletionRate: delivered.length + failed === 0 ? 0 : Math.round((1000 * delivered.length) / (delivered.length + failed)) / 1000,
    bond: usdcOf(within(facts, 'bond', now).at(-1)?.total ?? '0'),
  }
}

/** Says nothing of what the agent did. */
const isOfOthers = ({ type }: Dated): boolean => type === 'market_matured' || type === 'counterparties_changed'

/** In the order of behaviour 17.4. */
function badgesOf(facts: readonly Dated[], score: Score, risk: Risk, now: Date): string[] {
  const settled = within(facts, 'settled', now).filter(fact => fact.role === 'assignee').length
  const judged = within(facts, 'vote_judged', now)
  const right = judged.filter(fact => fact.withVerdict).length
  const earned: [string, boolean][] = [
    ['Trusted', score.fusedScore >= 70 && risk.riskScore <= 25],
    ['Gig Veteran', settled >= 20],
    ['Bond Reliable', score.components.bondReliability >= 60],
    ['Fair Validator', judged.length >= 20 && right >= 0.8 * judged.length],
    ['Skill Verified', facts.some(fact => fact.type === 'skill_verified')],
    ['ERC-8004 Registered', facts.some(fact => fact.type === 'onchain_confirmed')],
  ]
  return earned.filter(([, has]) => has).map(([badge]) => badge)
}
