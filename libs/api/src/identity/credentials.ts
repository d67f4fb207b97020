import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { timestamp } from '../core/fields.ts'

const plainJson = z.record(z.string(), z.unknown())

export const getCredential = endpoint({
  method: 'get',
  path: '/api/agents/:id/credential',
  summary: 'A verifiable credential over score and tier; `Accept: application/vc+jwt` answers the JWT',
  caller: 'public',
  response: z.looseObject({ credential: plainJson, format: z.string(), issuedAt: timestamp, expiresAt: timestamp, verifyEndpoint: z.string() }),
})

export const verifyCredential = endpoint({
  method: 'post',
  path: '/api/credentials/verify',
  summary: 'Check a credential: proof, dates, status of the agent, drift of the score',
  caller: 'public',
  rate: 'read',
  body: z.object({ credential: z.union([plainJson, z.string().min(1).max(50_000)]) }),
  response: z.looseObject({
    valid: z.boolean(),
    checks: z.array(z.looseObject({ check: z.string(), passed: z.boolean() })),
    warnings: z.array(z.string()),
    errors: z.array(z.string()),
    agentId: z.string().nullable(),
    handle: z.string().nullable(),
    issuedAt: z.string().nullable(),
    expiresAt: z.string().nullable(),
    currentFusedScore: z.number().nullable(),
    credentialFusedScore: z.number().nullable(),
    scoreDrift: z.number().nullable(),
  }),
})
