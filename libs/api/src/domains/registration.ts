import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { usdIn, uuid, walletIn } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { authorizationIn } from '../core/terms.ts'
import { domainCheck, domainRecord, domainRegistered, extensionIn } from './records.ts'

/** A name as it is typed; whether it can be registered is answered by its own codes, not as a validation error. */
const nameIn = z
  .string()
  .min(1, 'must not be empty')
  .max(64, 'must be at most 64 characters')
  .meta({ examples: ['example-name'] })
  .transform(value => value.trim().toLowerCase())
const nameErrors = ['NAME_INVALID', 'NAME_RESERVED', 'NAME_TAKEN', 'ALREADY_EXISTS', 'ACCOUNT_SUSPENDED'] as const

export const checkDomain = endpoint({
  method: 'post',
  path: '/api/domains/check',
  summary: 'Whether a name is free, and its price for the caller',
  caller: 'optional',
  repeatable: true,
  signed: 'public',
  rate: 'read',
  body: z.object({ name: nameIn, tld: extensionIn, agentId: uuid.optional() }),
  response: domainCheck,
})

export const checkMoltDomain = endpoint({
  method: 'get',
  path: '/api/molt-domains/check/:name',
  summary: 'Whether a .molt name is free',
  caller: 'public',
  response: domainCheck.extend({ name: z.string(), display: z.string() }),
})

export const checkDomains = endpoint({
  method: 'post',
  path: '/api/domains/check-all',
  summary: 'Whether full names are free, in their order',
  caller: 'optional',
  repeatable: true,
  signed: 'public',
  rate: 'read',
  body: z.object({ names: z.array(z.string().max(100)).min(1).max(limits.list.checkAllNames), agentId: uuid.optional() }),
  response: z.looseObject({ results: z.array(domainCheck), total: z.int() }),
})

export const registerMoltDomain = endpoint({
  method: 'post',
  path: '/api/molt-domains/register',
  summary: 'Register a name',
  caller: 'wallet',
  quote: 'quoteMoltName',
  body: z.object({ name: nameIn, extension: extensionIn, walletAddress: walletIn, authorization: authorizationIn.optional() }),
  response: domainRegistered,
  status: 201,
  also: [202],
  errors: ['WALLET_MISMATCH', 'FUNDS_REQUIRED', 'PAYMENT_INVALID', 'REPLAY_DETECTED', ...nameErrors],
})

export const registerDomain = endpoint({
  method: 'post',
  path: '/api/domains/register',
  summary: 'Register a name with any extension; pricePaid is the most the caller agrees to',
  caller: 'walletOnly',
  quote: 'quoteName',
  body: z.object({ name: nameIn, tld: extensionIn, pricePaid: usdIn({ zero: true }), authorization: authorizationIn.optional() }),
  response: domainRegistered,
  status: 201,
  also: [202],
  errors: ['PRICE_MISMATCH', 'FUNDS_REQUIRED', 'PAYMENT_INVALID', 'REPLAY_DETECTED', ...nameErrors],
})

export const registerMoltAutonomously = endpoint({
  method: 'post',
  path: '/api/molt-domains/register-autonomous',
  summary: 'Register a .molt name without headers, three an hour from one address',
  caller: 'public',
  quota: { limit: 3, windowSeconds: 3600 },
  body: z.object({
    name: nameIn,
    extension: extensionIn.pipe(z.literal('.molt', 'must be molt')).default('.molt'),
    agentId: uuid,
    walletAddress: walletIn,
  }),
  response: domainRegistered,
  status: 201,
  also: [202],
  errors: ['WALLET_MISMATCH', 'SIGNATURE_REQUIRED', 'RATE_LIMITED', ...nameErrors],
})

export const transferDomain = endpoint({
  method: 'post',
  path: '/api/domains/:id/transfer',
  summary: 'Give a name to another wallet',
  caller: 'walletOnly',
  body: z.object({ toAddress: walletIn }),
  response: z.looseObject({ record: domainRecord, txHash: z.string().nullable() }),
  also: [202],
  errors: ['NOT_OWNER', 'SELF_ACTION', 'ALREADY_EXISTS', 'INVALID_STATE'],
})

export const deleteMoltDomain = endpoint({
  method: 'delete',
  path: '/api/molt-domains/:name',
  summary: 'Give an own name up; it is burnt, without a refund',
  caller: 'wallet',
  response: z.looseObject({ name: z.string() }),
  also: [202],
  errors: ['NOT_OWNER', 'INVALID_STATE'],
})

export const syncMoltDomain = endpoint({
  method: 'post',
  path: '/api/molt-sync',
  summary: 'Register the .molt name of the caller on chain if it is not there',
  caller: 'walletOnly',
  response: z.looseObject({
    moltDomain: z.string(),
    onChain: z.boolean(),
    tokenId: z.string().nullable(),
    txHash: z.string().nullable(),
  }),
})
