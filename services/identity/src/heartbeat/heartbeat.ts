import { dayMs, heartbeatRecorded, refuse } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type Agent, changed } from '../agent.ts'
import { activityOf, autonomyOf } from './activity.ts'

export interface Beat {
  status?: 'active' | 'idle' | 'busy' | 'offline' | undefined
  currentTask?: string | undefined
}

/** Events are published at most this often: whom they concern counts in days. A registration is one, too. */
const announceEveryMs = dayMs
/** Beats that anybody may send for an agent. */
const unprovenPerMinute = 4
const minuteMs = 60_000
const dueAfterMs = 900_000

export const nextDue = (last: Date): Date => new Date(last.getTime() + dueAfterMs)

/** A sign of life of the agent. An older time changes nothing. */
export function beat(agent: Agent, { status, currentTask }: Beat, now: Date): Decision<Agent> | undefined {
  if (agent.lastHeartbeat !== null && agent.lastHeartbeat >= now && status === undefined && currentTask === undefined) return undefined
  const announce = agent.announcedAt === null || now.getTime() - agent.announcedAt.getTime() >= announceEveryMs
  const event = heartbeatRecorded.of({
    agentId: agent.id,
    activityStatus: activityOf(now, now).status,
    autonomyStatus: autonomyOf({ lastSeenAt: now, lastHeartbeat: now, confirmed: true }, now),
    recordedAt: now.toISOString(),
  })
  return changed(
    agent,
    {
      lastHeartbeat: now,
      ...(announce ? { announcedAt: now } : {}),
      ...(status === undefined ? {} : { workStatus: status }),
      ...(currentTask === undefined ? {} : { currentTask }),
    },
    announce ? [event] : [],
  )
}

/** A beat without the id of its sender. @throws COOLDOWN_ACTIVE above four a minute */
export function unprovenBeat(agent: Agent, sent: Beat, now: Date): Decision<Agent> | undefined {
  const recent = agent.recentBeats.filter(at => now.getTime() - at.getTime() < minuteMs)
  const oldest = recent[0]
  if (oldest && recent.length >= unprovenPerMinute) {
    const ends = new Date(oldest.getTime() + minuteMs)
    refuse('COOLDOWN_ACTIVE', { cooldownEndsAt: ends.toISOString() }, { retryAfter: Math.ceil((ends.getTime() - now.getTime()) / 1000) })
  }
  return beat({ ...agent, recentBeats: [...recent, now] }, sent, now)
}

/** @throws ACCOUNT_SUSPENDED */
export const needActive = (agent: Agent): Agent => (agent.status === 'active' ? agent : refuse('ACCOUNT_SUSPENDED', { status: agent.status }))
