import { clamp, type Dated, daysBetween, type Of, usdcOf, within } from '../facts.ts'

/** Everything between an agent and one counterparty in 365 days (behaviour 17.2). */
export interface Pair {
  counterparty: string
  /** 0.2 for a new agent of 15, 1 from 70 on. */
  standing: number
  /** Platform fees of the pair in USDC, both directions. */
  fees: number
  repeat: number
  tie: number
  asAssignee: number
  asPoster: number
}

const windowDays = 365
const repeatAfterDays = 7

export const standingOf = (score: number): number => 0.2 + 0.8 * clamp((score - 15) / 55, 0, 1)

export function pairsOf(facts: readonly Dated[], now: Date): Pair[] {
  const settled = within(facts, 'settled', now, windowDays).filter(fact => fact.creditable)
  const mates = new Set(latestCrews(facts, now).flatMap(crew => crew.mates))
  return [...new Set(settled.map(fact => fact.with))].map(counterparty =>
    pairWith(
      counterparty,
      settled.filter(fact => fact.with === counterparty),
      mates.has(counterparty),
    ),
  )
}

function pairWith(counterparty: string, settled: Of<'settled'>[], sharesCrew: boolean): Pair {
  const ordered = [...settled].sort((a, b) => a.at.getTime() - b.at.getTime())
  const asAssignee = settled.filter(fact => fact.role === 'assignee').length
  const asPoster = settled.length - asAssignee
  return {
    counterparty,
    standing: standingOf(ordered.at(-1)!.theirScore),
    fees: settled.reduce((sum, fact) => sum + usdcOf(fact.fee), 0),
    repeat: daysBetween(ordered[0]!.at, ordered.at(-1)!.at) >= repeatAfterDays ? 1 : 0.8,
    tie: (asAssignee > 0 && asPoster > 0) || sharesCrew ? 0.25 : 1,
    asAssignee,
    asPoster,
  }
}

function latestCrews(facts: readonly Dated[], now: Date): Of<'crew_mates'>[] {
  const latest = new Map<string, Of<'crew_mates'>>()
  for (const fact of within(facts, 'crew_mates', now)) latest.set(fact.crewId, fact)
  return [...latest.values()]
}

/** pair(c) = standing × fee × repeat × tie. */
export const credit = (pair: Pair): number => pair.standing * Math.min(1, pair.fees) * pair.repeat * pair.tie
