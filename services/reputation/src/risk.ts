import { limits, riskLevelOf } from '@carapace/api'
import { appliedSlashes, cappedByCounterparty, clamp, type Dated, daysBetween, idleDays, isBonded, usdcOf, within } from '@carapace/formula'

export type RiskFlag = 'RECENT_SLASH' | 'HIGH_FAILURE_RATE' | 'ACTIVE_DISPUTE' | 'INACTIVE' | 'BOND_DEPLETION' | 'NEW_ACCOUNT' | 'UNBONDED'
export type RiskLevel = 'low' | 'medium' | 'high'

export interface Risk {
  riskScore: number
  riskLevel: RiskLevel
  flags: RiskFlag[]
  /** disputes / (settled + disputes), three decimals */
  disputeRate: number
  slashCount: number
  recommendation: 'HIRE' | 'CAUTION' | 'AVOID'
  breakdown: { slash: number; failure: number; dispute: number; inactivity: number; bondDepletion: number; cleanStreakBonus: number }
  cleanStreakDays: number
}

const quarterDays = 90
const streakDays = 30
const tolerated = new Set<RiskFlag>(['NEW_ACCOUNT', 'UNBONDED'])

/** Risk (behaviour 17.5): a pure function of the audit log and the moment. */
export function riskOf(facts: readonly Dated[], now: Date): Risk {
  const slashes = appliedSlashes(facts, now)
  const settled = cappedByCounterparty(within(facts, 'settled', now, 365).map(fact => fact.with))
  const failed = cappedByCounterparty(within(facts, 'failed', now, 365).map(fact => fact.with))
  const ended = within(facts, 'dispute_ended', now)
  const opened = within(facts, 'dispute_opened', now)
  // a paid gig is disputed no more, no matter who decided it
  const ends = [...ended, ...within(facts, 'settled', now), ...within(facts, 'settlement_undone', now)]
  const open = opened.filter(({ gigId, at }) => !ends.some(end => end.gigId === gigId && end.at >= at)).length
  const lost = ended.filter(fact => fact.lost)
  const idle = idleDays(facts, now)
  const withdrawals = within(facts, 'bond', now, quarterDays).filter(fact => fact.change === 'withdrawn').length
  const failureRate = settled + failed === 0 ? 0 : failed / (settled + failed)
  const parts = {
    slash: Math.min(45, 15 * slashes.filter(slash => daysBetween(slash.at, now) < quarterDays).length),
    failure: 25 * failureRate,
    dispute: Math.min(40, 20 * lost.filter(fact => daysBetween(fact.at, now) < quarterDays).length) + Math.min(10, 5 * open),
    inactivity: 10 * clamp((idle - 14) / 30, 0, 1),
    bondDepletion: (10 * Math.min(5, withdrawals)) / 5,
  }
  const raw = Object.values(parts).reduce((sum, part) => sum + part, 0)
  const cleanStreakDays = streakOf(facts, now)
  const bonus = cleanStreakDays >= streakDays ? raw * 0.1 : 0
  const riskScore = clamp(Math.floor(raw - bonus + 0.5 + 1e-9), 0, 100)
  const flags = flagsOf({ recentSlash: parts.slash > 0, failureRate, open, idle, withdrawals, age: ageMs(facts, now), bond: bondOf(facts, now) })
  return {
    riskScore,
    riskLevel: riskLevelOf(riskScore),
    flags,
    disputeRate: Math.round((1000 * opened.length) / Math.max(1, settled + opened.length)) / 1000,
    slashCount: slashes.length,
    recommendation: recommend(riskLevelOf(riskScore), flags, isSuspended(facts, now)),
    breakdown: { ...parts, cleanStreakBonus: bonus },
    cleanStreakDays,
  }
}

interface FlagInput {
  recentSlash: boolean
  failureRate: number
  open: number
  idle: number
  withdrawals: number
  age: number
  bond: number
}

function flagsOf({ recentSlash, failureRate, open, idle, withdrawals, age, bond }: FlagInput): RiskFlag[] {
  const fires: Record<RiskFlag, boolean> = {
    RECENT_SLASH: recentSlash,
    HIGH_FAILURE_RATE: failureRate > 0.3,
    ACTIVE_DISPUTE: open > 0,
    INACTIVE: idle > 14,
    BOND_DEPLETION: withdrawals >= 3,
    NEW_ACCOUNT: age < limits.newAccountAgeMs,
    UNBONDED: !isBonded(bond),
  }
  return (Object.keys(fires) as RiskFlag[]).filter(flag => fires[flag])
}

function recommend(level: RiskLevel, flags: readonly RiskFlag[], suspended: boolean): Risk['recommendation'] {
  if (level === 'high' || suspended) return 'AVOID'
  return level === 'low' && flags.every(flag => tolerated.has(flag)) ? 'HIRE' : 'CAUTION'
}

/** Whole days without slash, failure or lost dispute, at most since the registration. */
function streakOf(facts: readonly Dated[], now: Date): number {
  const faults = [
    ...facts.filter(fact => fact.at <= now && (fact.type === 'failed' || (fact.type === 'dispute_ended' && fact.lost))),
    ...appliedSlashes(facts, now),
  ]
  const since = faults.length ? new Date(Math.max(...faults.map(fact => fact.at.getTime()))) : facts[0]?.at
  return since ? daysBetween(since, now) : 0
}

const ageMs = (facts: readonly Dated[], now: Date): number =>
  now.getTime() - (facts.find(fact => fact.type === 'registered')?.at.getTime() ?? now.getTime())
const bondOf = (facts: readonly Dated[], now: Date): number => usdcOf(within(facts, 'bond', now).at(-1)?.total ?? '0')

export function isSuspended(facts: readonly Dated[], now: Date): boolean {
  const last = facts.filter(fact => fact.at <= now && (fact.type === 'suspended' || fact.type === 'reinstated')).at(-1)
  return last?.type === 'suspended'
}
