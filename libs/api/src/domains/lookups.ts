import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { agentRef, id, listOf, onChain, pageQuery, text0, walletIn } from '../core/fields.ts'
import { domainRecord, extensionIn } from './records.ts'

/** A name in a list, with the handle of its agent. */
const listedDomain = domainRecord.extend({ handle: z.string().nullable() })

export const getMoltInfo = endpoint({
  method: 'get',
  path: '/api/agents/:id/molt-info',
  summary: 'Names of an agent',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    moltDomain: z.string().nullable(),
    record: domainRecord.nullable(),
    domains: z.array(domainRecord),
  }),
})

export const browseDomains = endpoint({
  method: 'get',
  path: '/api/domains/browse',
  summary: 'Registered names',
  caller: 'public',
  query: { tld: extensionIn.optional(), ...pageQuery },
  response: listOf('domains', listedDomain),
})

export const searchDomains = endpoint({
  method: 'get',
  path: '/api/domains/search',
  summary: 'Registered names that contain a text',
  caller: 'public',
  query: { q: text0(32).default(''), tld: extensionIn.optional(), ...pageQuery },
  response: listOf('domains', listedDomain).extend({ query: z.string() }),
})

export const listWalletDomains = endpoint({
  method: 'get',
  path: '/api/domains/wallet/:address',
  summary: 'Names of a wallet',
  caller: 'public',
  params: { address: walletIn },
  query: pageQuery,
  response: listOf('domains', listedDomain).extend({ wallet: z.string() }),
})

export const resolveDomain = endpoint({
  method: 'get',
  path: '/api/domains/:fullDomain',
  summary: 'Owner and agent of a full name',
  caller: 'public',
  response: z.looseObject({
    fullDomain: z.string(),
    record: domainRecord,
    owner: z.string(),
    agent: agentRef.nullable(),
    // what wallets show of a token, whose URI leads here
    name: z.string(),
    description: z.string(),
    image: z.string().optional(),
  }),
})

export const listMoltDomains = endpoint({
  method: 'get',
  path: '/api/molt-domains/all',
  summary: 'All .molt names',
  caller: 'public',
  query: pageQuery,
  response: listOf('domains', listedDomain),
})

export const getMoltDomain = endpoint({
  method: 'get',
  path: '/api/molt-domains/:name',
  summary: 'One .molt name, with or without .molt',
  caller: 'public',
  response: domainRecord.extend({ display: z.string(), handle: z.string().nullable(), profileUrl: z.string().nullable() }),
})

export const getDomainOperation = endpoint({
  method: 'get',
  path: '/api/domains/operations/:id',
  summary: 'What became of a registration, a transfer or a deletion that was answered with 202',
  caller: 'public',
  response: z.looseObject({
    operation: z.enum(['register', 'transfer', 'delete']),
    status: z.enum(['pending', 'confirmed', 'failed']),
    fullDomain: z.string(),
    record: domainRecord.nullable(),
    txHash: z.string().nullable(),
    onChain,
  }),
})
