import { type identityApi, refuse } from '@carapace/api'
import type { Handlers } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Agent } from '../agent.ts'
import { activityOf, activityTiers, decayOf, decayThresholdDays, hoursSince, isEligibleForGigs } from '../heartbeat/activity.ts'
import { beat, needActive, nextDue, unprovenBeat } from '../heartbeat/heartbeat.ts'
import type { Parts } from '../parts.ts'
import { autonomyView, iso } from '../views.ts'

const round1 = (value: number) => Math.round(value * 10) / 10

export const heartbeatHandlers = (parts: Parts) => {
  const { agents, clock } = parts
  const autonomy = (agent: Agent) => autonomyView(agent, clock.now())
  const recorded = (agent: Stored<Agent>) => ({
    agentId: agent.id,
    status: autonomy(agent),
    activityStatus: activityOf(agent.lastSeenAt, clock.now()).status,
    lastHeartbeat: agent.lastSeenAt.toISOString(),
    nextHeartbeatDue: nextDue(agent.lastSeenAt).toISOString(),
  })
  return {
    recordHeartbeat: async ({ body, caller }) => {
      const { agentId: named, walletAddress, ...sent } = body
      const proven = caller?.kind === 'agent' ? caller.agentId : undefined
      if (proven === undefined && (named === undefined || walletAddress === undefined))
        refuse('AUTH_REQUIRED', undefined, { message: 'Name the agent by x-agent-id, or by agentId and walletAddress in the body' })
      const agent = await agents.need(proven ?? named!)
      if (walletAddress !== undefined && agent.wallet?.toLowerCase() !== walletAddress) refuse('WALLET_MISMATCH', { field: 'walletAddress' })
      return recorded(await agents.change(agent.id, present => beat(needActive(present), sent, clock.now())))
    },

    recordAgentHeartbeat: async ({ params, body, caller }) => {
      const apply = caller?.kind === 'agent' ? beat : unprovenBeat
      return recorded(await agents.change(params.agentId, present => apply(needActive(present), body, clock.now())))
    },

    getHeartbeatStatus: async ({ params }) => {
      const agent = await agents.named(params.id)
      const days = hoursSince(agent.lastSeenAt, clock.now()) / 24
      const decayPenaltyPct = decayOf(days)
      return {
        agentId: agent.id,
        lastHeartbeat: iso(agent.lastHeartbeat),
        nextHeartbeatDue: agent.lastHeartbeat === null ? null : nextDue(agent.lastHeartbeat).toISOString(),
        activityStatus: activityOf(agent.lastSeenAt, clock.now()).status,
        daysSinceHeartbeat: round1(days),
        decayThresholdDays,
        decayPenaltyPct,
        isDecaying: decayPenaltyPct > 0,
      }
    },

    reactivateAgent: async ({ params }) => {
      const agent = await agents.change(params.id, present => beat(needActive(present), {}, clock.now()))
      return {
        message: 'The agent is awake',
        agentId: agent.id,
        handle: agent.handle,
        autonomyStatus: autonomy(agent),
        lastHeartbeat: agent.lastSeenAt.toISOString(),
      }
    },

    getActivityStatus: async ({ params }) => {
      const agent = await agents.named(params.id)
      const tier = activityOf(agent.lastSeenAt, clock.now())
      return {
        agentId: agent.id,
        handle: agent.handle,
        status: tier.status,
        label: tier.label,
        autonomyStatus: autonomy(agent),
        eligibleForGigs: isEligibleForGigs(tier.status),
        lastHeartbeat: iso(agent.lastHeartbeat),
        currentTask: agent.currentTask,
        hoursSince: round1(hoursSince(agent.lastSeenAt, clock.now())),
        tiers: activityTiers.map(entry => ({ ...entry })),
      }
    },
  } satisfies Handlers<typeof identityApi>
}
