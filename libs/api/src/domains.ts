import { z } from 'zod'
import { endpoint } from './core/endpoint.ts'
import { event } from './core/event.ts'
import { chain, id, micro, timestamp, walletOut } from './core/fields.ts'
import { serviceApi } from './core/service-api.ts'
import { announceEndpoint, snapshotEvent } from './core/snapshot.ts'
import * as lookups from './domains/lookups.ts'
import { extension } from './domains/records.ts'
import * as registration from './domains/registration.ts'

/** `moltDomain` is the .molt name that the agent has after the change. */
const domainFacts = {
  domainId: id,
  fullDomain: z.string(),
  tld: extension,
  ownerWallet: walletOut,
  agentId: id.nullable(),
  moltDomain: z.string().nullable(),
  chain,
  tokenId: z.string().nullable(),
  txHash: z.string().nullable(),
  at: timestamp,
}
export const domainActivated = event('domains.domain.registered', 'domainId', 'A name is registered', {
  ...domainFacts,
  pricePaid: micro,
  free: z.boolean(),
})
export const domainTransferred = event('domains.domain.transferred', 'domainId', 'A name has another owner', {
  ...domainFacts,
  fromAgentId: id.nullable(),
  fromWallet: walletOut,
})
export const domainDeleted = event('domains.domain.deleted', 'domainId', 'A name was given up', domainFacts)
export const domainSynced = event('domains.domain.synced', 'domainId', 'A name was brought on chain', domainFacts)
export const domainsSnapshot = snapshotEvent('domains', ['domain'])

/** What other services keep of a name. */
export const domainRow = z
  .looseObject({
    domainId: id,
    fullDomain: z.string(),
    tld: extension,
    ownerWallet: walletOut.nullable(),
    agentId: id.nullable(),
    status: z.enum(['pending', 'active', 'released']),
    version: z.int(),
  })
  .meta({ id: 'DomainRow' })
export type DomainRow = z.output<typeof domainRow>

const getDomainRow = endpoint({
  method: 'get',
  path: '/internal/v1/domains/:fullDomain',
  caller: 'internal',
  summary: 'One name',
  response: domainRow,
})
const announceDomains = announceEndpoint(['domain'])

/** The five extensions: prices, registration, transfer, resolution. */
export const domainsApi = serviceApi('domains', {
  planned: true,
  endpoints: { ...registration, ...lookups },
  internal: { getDomainRow, announceDomains },
  events: { domainActivated, domainTransferred, domainDeleted, domainSynced, domainsSnapshot },
})
