import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, listOf, pageQuery, timestamp } from '../core/fields.ts'
import { commandKind } from './command.ts'

export const operationState = z.enum(['QUEUED', 'INCLUDED', 'CONFIRMED', 'FINAL', 'FAILED', 'CANCELLED', 'EXPIRED'])
export const operation = z
  .looseObject({
    opKey: z.string(),
    round: z.int(),
    network: chain,
    kind: commandKind,
    aggregateKey: z.string(),
    state: operationState,
    attempts: z.int(),
    txHash: z.string().nullable(),
    error: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ChainOperation' })

export const listChainQueue = endpoint({
  method: 'get',
  path: '/api/admin/chain-queue',
  summary: 'Commands that are not final',
  caller: 'admin',
  rate: 'admin',
  query: { state: operationState.optional(), chain: chain.optional(), ...pageQuery },
  response: listOf('operations', operation),
})

export const retryChainCommand = endpoint({
  method: 'post',
  path: '/api/admin/chain-queue/:commandId/retry',
  summary: 'Send a failed command again: same key, next round',
  caller: 'admin',
  params: { commandId: z.string().min(3).max(200) },
  response: operation,
  status: 202,
  errors: ['INVALID_STATE'],
})
