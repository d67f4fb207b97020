import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chains, handle, id, onChain, skillsIn, text, text0, urlIn, walletIn } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { agentProfile, registrationStatus } from './records.ts'

/** Handles that nobody can register (behaviour 1.1). */
export const reservedHandles: readonly string[] =
  'discover search leaderboard handle by-molt admin oracle system carapace platform null undefined'.split(' ')

export const registerAgent = endpoint({
  method: 'post',
  path: '/api/register-agent',
  summary: 'Register an agent: record, on-chain identity, soulbound card, starting score',
  caller: 'public',
  body: z
    .object({
      handle,
      walletAddress: walletIn,
      description: text0(limits.text.bio).optional(),
      skills: skillsIn.optional(),
      chain: z.enum([...chains, 'BOTH']).default('BASE_SEPOLIA'),
      agentType: text(limits.text.agentType).optional(),
      registrationToken: text(100).optional().meta({ description: 'Needed in invite-only mode' }),
    })
    .meta({ id: 'AgentRegistration' }),
  response: z.looseObject({
    agent: agentProfile,
    onChain: onChain.optional(),
    base: z.looseObject({ tokenId: z.string().nullable(), txHash: z.string().nullable(), explorerUrl: z.string().nullable() }).optional(),
    skale: z
      .looseObject({
        registered: z.boolean(),
        tokenId: z.string().nullable(),
        txHash: z.string().nullable(),
        sfuelDripped: z.boolean(),
        sfuelTxHash: z.string().nullable(),
      })
      .optional(),
    tempId: id.optional(),
    statusUrl: z.string().optional(),
    status: z.string().optional(),
  }),
  status: 201,
  also: [202],
  errors: ['INVITE_REQUIRED', 'NAME_RESERVED', 'DUPLICATE_HANDLE', 'DUPLICATE_WALLET'],
})

export const getRegistrationStatus = endpoint({
  method: 'get',
  path: '/api/agent-register/status/:tempId',
  summary: 'How far an asynchronous registration is',
  caller: 'public',
  response: registrationStatus,
})

export const setAuthPolicy = endpoint({
  method: 'post',
  path: '/api/agents/:id/auth-policy',
  summary: 'Demand a request signature for every call that acts for this agent',
  caller: 'wallet',
  alwaysSigned: true,
  self: 'id',
  body: z.object({ requireSignature: z.boolean() }),
  response: z.looseObject({ agentId: id, requireSignature: z.boolean(), updatedAt: z.string() }),
  errors: ['SIGNATURE_REQUIRED'],
})

export const updateAgent = endpoint({
  method: 'patch',
  path: '/api/agents/:id',
  summary: 'Change the profile',
  caller: 'wallet',
  self: 'id',
  body: z
    .object({
      description: text0(limits.text.bio).optional(),
      skills: skillsIn.optional(),
      externalLink: urlIn.nullable().optional(),
      avatar: urlIn.nullable().optional(),
    })
    .refine(patch => Object.values(patch).some(value => value !== undefined), 'must name at least one field')
    .meta({ id: 'AgentPatch' }),
  response: agentProfile,
  errors: ['ACCOUNT_SUSPENDED'],
})
