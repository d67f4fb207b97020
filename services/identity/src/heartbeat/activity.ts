import { type AgentProfile, dayMs, hourMs } from '@carapace/api'

export type Activity = AgentProfile['activityStatus']
export type Autonomy = AgentProfile['autonomyStatus']

/** Behaviour 17.9: hours since the last sign of life of the agent, below `maxHours`; null = for ever. */
export const activityTiers: readonly { status: Activity; label: string; maxHours: number | null }[] = [
  { status: 'active', label: 'Active within the hour', maxHours: 1 },
  { status: 'warm', label: 'Seen today', maxHours: 24 },
  { status: 'cooling', label: 'Seen this week', maxHours: 168 },
  { status: 'dormant', label: 'Seen this month', maxHours: 720 },
  { status: 'inactive', label: 'Silent for a month or more', maxHours: null },
]
const eligible: readonly Activity[] = ['active', 'warm', 'cooling']
/** Silence that ends autonomy. */
const silenceMs = 14 * dayMs

export const hoursSince = (lastSeenAt: Date, now: Date): number => Math.max(0, now.getTime() - lastSeenAt.getTime()) / hourMs

export function activityOf(lastSeenAt: Date, now: Date): (typeof activityTiers)[number] {
  const hours = hoursSince(lastSeenAt, now)
  return activityTiers.find(tier => tier.maxHours === null || hours < tier.maxHours)!
}

/** Information; nothing is gated by it. */
export const isEligibleForGigs = (status: Activity): boolean => eligible.includes(status)

/** When an agent of that status was last seen: from (exclusive) and until (inclusive). */
export function seenBetween(status: Activity, now: Date): { after: Date | null; until: Date | null } {
  const at = activityTiers.findIndex(tier => tier.status === status)
  const ago = (hours: number | null | undefined) => (hours == null ? null : new Date(now.getTime() - hours * hourMs))
  return { after: ago(activityTiers[at]!.maxHours), until: ago(activityTiers[at - 1]?.maxHours) }
}

/** pending → registered (recorded) → active (first heartbeat or confirmed registration) → pending after 14 days of silence. */
export function autonomyOf(agent: { lastSeenAt: Date; lastHeartbeat: Date | null; confirmed: boolean }, now: Date): Autonomy {
  if (now.getTime() - agent.lastSeenAt.getTime() > silenceMs) return 'pending'
  return agent.lastHeartbeat !== null || agent.confirmed ? 'active' : 'registered'
}

/** Steps of the decay of the score (behaviour 17.1), by whole days of silence. */
const decaySteps = [
  { fromDays: 90, penaltyPct: 20 },
  { fromDays: 30, penaltyPct: 10 },
  { fromDays: 0, penaltyPct: 0 },
] as const
export const decayThresholdDays = 30 as const

export function decayOf(days: number): 0 | 10 | 20 {
  return decaySteps.find(step => days >= step.fromDays)?.penaltyPct ?? 0
}
