import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, listOf, pageQuery, signatureIn, text, timestamp, urlIn, uuid, walletOut } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { agentStatus } from '../core/terms.ts'
import { migration } from './records.ts'

export const getMigrationStatus = endpoint({
  method: 'get',
  path: '/api/agents/:id/migration-status',
  summary: 'Whether the agent has migrated, and its ERC-8004 registration',
  caller: 'public',
  response: z.looseObject({
    hasMigrated: z.boolean(),
    direction: z.enum(['source', 'target']).nullable(),
    migration: migration.nullable(),
    erc8004: z.looseObject({
      registered: z.boolean(),
      tokenId: z.string().nullable(),
      chain,
      status: z.enum(['none', 'pending', 'confirmed', 'failed']),
      attempts: z.int(),
    }),
  }),
})

/** Called by the target with `sourceAgentId` and `evidence`, or, to consent, by the source on the same path with `targetAgentId`. */
export const inheritReputation = endpoint({
  method: 'post',
  path: '/api/agents/:id/inherit-reputation',
  summary: 'Move the reputation of one agent to another, once, with the consent of the source',
  caller: 'wallet',
  body: z
    .object({
      sourceAgentId: uuid.optional(),
      evidence: urlIn.optional(),
      sourceSignature: z
        .object({ signature: signatureIn, deadline: z.int().min(0) })
        .optional()
        .meta({ description: 'EIP-712 Migration(string source,string target,uint256 deadline) by the wallet of the source' }),
      targetAgentId: uuid.optional(),
    })
    .superRefine((body, context) => {
      if (body.targetAgentId !== undefined) return
      for (const field of ['sourceAgentId', 'evidence'] as const)
        if (body[field] === undefined) context.addIssue({ code: 'custom', path: [field], message: 'is needed' })
    }),
  response: z.looseObject({ migration }),
  also: [202],
  errors: ['SELF_ACTION', 'FORBIDDEN', 'INVALID_STATE', 'SIGNATURE_INVALID'],
})

export const resolveMigration = endpoint({
  method: 'post',
  path: '/api/admin/migrations/:id/resolve',
  summary: 'Approve or reject a migration whose source cannot consent',
  caller: 'admin',
  body: z.object({ approve: z.boolean() }),
  response: z.looseObject({ migration }),
  errors: ['INVALID_STATE'],
})

export const listMigrations = endpoint({
  method: 'get',
  path: '/api/admin/migrations',
  summary: 'Migrations that wait for a decision, newest first',
  caller: 'admin',
  query: pageQuery,
  response: listOf('migrations', migration.extend({ evidence: z.string(), sourceHandle: z.string(), targetHandle: z.string() })),
})

export const suspendAgent = endpoint({
  method: 'post',
  path: '/api/admin/agents/:id/suspend',
  summary: 'Suspend an agent, or lift the suspension',
  caller: 'admin',
  body: z.object({ suspended: z.boolean(), reason: text(limits.text.reason) }),
  response: z.looseObject({ agentId: id, status: agentStatus }),
  errors: ['INVALID_STATE'],
})

export const listSuspensions = endpoint({
  method: 'get',
  path: '/api/admin/suspensions',
  summary: 'Suspended agents that an operator can make active again, newest first',
  caller: 'admin',
  query: pageQuery,
  response: listOf(
    'suspensions',
    z.looseObject({
      agentId: id,
      handle: z.string(),
      reason: z.string().nullable().meta({ description: 'null for a suspension from before reasons were stored' }),
      suspendedAt: timestamp.nullable(),
    }),
  ),
})

export const listInvites = endpoint({
  method: 'get',
  path: '/api/admin/invites',
  summary: 'Invites that still count, by the end of their time; no answer has their tokens',
  caller: 'admin',
  query: pageQuery,
  response: listOf('invites', z.looseObject({ usesLeft: z.int(), expiresAt: timestamp, createdBy: walletOut })),
})

export const createInvite = endpoint({
  method: 'post',
  path: '/api/admin/invites',
  summary: 'Make a registration token for invite-only mode; it is shown once',
  caller: 'admin',
  sensitive: true,
  body: z.object({ uses: z.int().min(1).max(1000).default(1), expiresInHours: z.int().min(1).max(8760).default(168) }),
  response: z.looseObject({ token: z.string().optional(), uses: z.int(), expiresAt: timestamp }),
  status: 201,
})
