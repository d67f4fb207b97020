import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { timestamp } from '../core/fields.ts'

const plainJson = z.record(z.string(), z.unknown())

export const getCredential = endpoint({
  method: 'get',
  path: '/api/agents/:id/credential',
  summary: 'A verifiable credential over score and tier; `Accept: application/vc+jwt` answers the JWT',
  caller: 'public',
  alsoProduces: ['application/vc+jwt'],
  response: z.looseObject({ credential: plainJson, format: z.string(), issuedAt: timestamp, expiresAt: timestamp, verifyEndpoint: z.string() }),
})

export const getStatusList = endpoint({
  method: 'get',
  path: '/api/credentials/status/:list',
  summary: 'A Bitstring Status List: which credentials are revoked; `Accept: application/vc+jwt` answers the JWT',
  caller: 'public',
  params: { list: z.string().regex(/^\d{1,6}$/, 'must be the number of a list') },
  alsoProduces: ['application/vc+jwt'],
  response: plainJson,
})

export const getVocabulary = endpoint({
  method: 'get',
  path: '/vocab',
  summary: 'The own terms of credentials, as JSON-LD',
  caller: 'public',
  produces: 'application/ld+json',
})

export const verifyCredential = endpoint({
  method: 'post',
  path: '/api/credentials/verify',
  summary: 'Check a credential: proof, dates, status of the agent, drift of the score',
  caller: 'public',
  repeatable: true,
  rate: 'read',
  body: z.object({ credential: z.union([plainJson, z.string().min(1).max(50_000)]) }),
  response: z.looseObject({
    valid: z.boolean(),
    reason: z.string().nullable().meta({ description: 'The first of the errors' }),
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
