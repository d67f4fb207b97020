import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, listOf, pageQuery, timestamp } from '../core/fields.ts'
import { opKey } from './command.ts'

const chainOperation = z
  .looseObject({
    commandId: z.string(),
    network: chain,
    kind: z.string(),
    state: z.string(),
    round: z.int(),
    attempts: z.int(),
    aggregateKey: z.string(),
    txHash: z.string().nullable(),
    nonce: z.int().nullable(),
    error: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ChainOperation' })
const commandPath = { commandId: opKey }

export const operatorEndpoints = {
  listChainQueue: endpoint({
    method: 'get',
    path: '/api/admin/chain-queue',
    caller: 'admin',
    rate: 'admin',
    summary: 'Chain commands, newest first',
    query: {
      state: z.enum(['QUEUED', 'INCLUDED', 'CONFIRMED', 'FINAL', 'FAILED', 'CANCELLED', 'EXPIRED']).optional(),
      chain: chain.optional(),
      ...pageQuery,
    },
    response: listOf('commands', chainOperation),
  }),
  getChainCommand: endpoint({
    method: 'get',
    path: '/api/admin/chain-queue/:commandId',
    caller: 'admin',
    rate: 'admin',
    summary: 'One chain command with its transactions',
    params: commandPath,
    response: chainOperation,
  }),
  retryChainCommand: endpoint({
    method: 'post',
    path: '/api/admin/chain-queue/:commandId/retry',
    caller: 'admin',
    rate: 'admin',
    summary: 'Send a failed command again: same key, next round',
    params: commandPath,
    status: 202,
    response: z.looseObject({ success: z.literal(true), commandId: z.string(), round: z.int() }),
    errors: ['INVALID_STATE'],
  }),
  cancelChainCommand: endpoint({
    method: 'post',
    path: '/api/admin/chain-queue/:commandId/cancel',
    caller: 'admin',
    rate: 'admin',
    summary: 'Cancel a command: unsigned immediately, signed by replacing its transaction',
    params: commandPath,
    status: 202,
    response: z.looseObject({ success: z.literal(true), commandId: z.string(), state: z.string() }),
    errors: ['INVALID_STATE'],
  }),
}
