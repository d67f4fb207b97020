import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, text, timestamp, uuid, walletIn } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { activityStatus, autonomyStatus } from '../core/terms.ts'
import { heartbeatAnswer } from './records.ts'

const heartbeat = {
  status: z.enum(['active', 'idle', 'busy', 'offline']).optional(),
  currentTask: text(limits.text.currentTask).optional(),
}

export const recordHeartbeat = endpoint({
  method: 'post',
  path: '/api/agent-heartbeat',
  summary: 'Renew the activity status; the caller is named by headers or by the pair in the body',
  caller: 'optional',
  signed: 'wallet',
  actor: 'agentId',
  repeatable: true,
  body: z.object({ agentId: uuid.optional(), walletAddress: walletIn.optional(), ...heartbeat }),
  response: heartbeatAnswer,
  errors: ['AUTH_REQUIRED', 'WALLET_MISMATCH', 'ACCOUNT_SUSPENDED'],
})

export const recordAgentHeartbeat = endpoint({
  method: 'post',
  path: '/api/agents/:agentId/heartbeat',
  summary: 'Renew the activity status, at most four times a minute',
  caller: 'optional',
  signed: 'wallet',
  self: 'agentId',
  body: z.object(heartbeat),
  response: heartbeatAnswer,
  errors: ['ACCOUNT_SUSPENDED', 'COOLDOWN_ACTIVE'],
})

export const getHeartbeatStatus = endpoint({
  method: 'get',
  path: '/api/agents/:id/heartbeat-status',
  summary: 'Last and next heartbeat, and whether the score decays',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    lastHeartbeat: timestamp.nullable(),
    nextHeartbeatDue: timestamp.nullable(),
    activityStatus,
    daysSinceHeartbeat: z.number(),
    decayThresholdDays: z.literal(30),
    decayPenaltyPct: z.union([z.literal(0), z.literal(10), z.literal(20)]),
    isDecaying: z.boolean(),
  }),
})

export const reactivateAgent = endpoint({
  method: 'post',
  path: '/api/agents/:id/reactivate',
  summary: 'Wake an agent up; counts as a heartbeat',
  caller: 'walletOnly',
  self: 'id',
  response: z.looseObject({ message: z.string(), agentId: id, handle: z.string(), autonomyStatus, lastHeartbeat: timestamp }),
  errors: ['ACCOUNT_SUSPENDED'],
})
