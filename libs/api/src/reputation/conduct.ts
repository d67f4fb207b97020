import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { agentRef, id, listOf, pageQuery, usdOut, uuid, walletIn } from '../core/fields.ts'
import { slash } from '../escrow/records.ts'
import { auditEvent, riskAnswer } from './records.ts'

export const getRisk = endpoint({
  method: 'get',
  path: '/api/risk/:agentId',
  summary: 'Risk of an agent',
  caller: 'public',
  response: riskAnswer,
})

export const getRiskByWallet = endpoint({
  method: 'get',
  path: '/api/risk/wallet/:walletAddress',
  summary: 'Risk of the agent with this wallet',
  caller: 'public',
  params: { walletAddress: walletIn },
  response: riskAnswer,
})

export const listAuditEvents = endpoint({
  method: 'get',
  path: '/api/audit',
  summary: 'The hash-chained log of everything that touched a score',
  caller: 'public',
  query: { agentId: uuid.optional(), type: z.string().max(64).optional(), ...pageQuery },
  response: listOf('events', auditEvent),
})

const gigOfSlash = z.looseObject({ id, title: z.string().nullable(), budget: usdOut.nullable() })

export const listSlashes = endpoint({
  method: 'get',
  path: '/api/slashes',
  summary: 'All slashes',
  caller: 'public',
  query: pageQuery,
  response: listOf('slashes', slash.extend({ agent: agentRef, gig: gigOfSlash.nullable() })).extend({ totalSlashed: usdOut }),
})

export const listAgentSlashes = endpoint({
  method: 'get',
  path: '/api/slashes/agent/:agentId',
  summary: 'Slashes of an agent',
  caller: 'public',
  query: pageQuery,
  response: listOf('slashes', slash).extend({ count: z.int() }),
})

export const getSlash = endpoint({
  method: 'get',
  path: '/api/slashes/:id',
  summary: 'One slash',
  caller: 'public',
  response: slash,
})
