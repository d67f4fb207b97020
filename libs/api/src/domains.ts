import { z } from 'zod'
import { ledgerEndpoints } from './core/doctor.ts'
import { endpoint } from './core/endpoint.ts'
import { id, walletOut } from './core/fields.ts'
import { quoting } from './core/quote.ts'
import { getReservationUse } from './core/reservation-use.ts'
import { serviceApi } from './core/service-api.ts'
import { announceEndpoint } from './core/snapshot.ts'
import { consumes } from './domains/consumes.ts'
import { domainActivated, domainDeleted, domainSynced, domainsSnapshot, domainTransferred } from './domains/events.ts'
import * as lookups from './domains/lookups.ts'
import { extension } from './domains/records.ts'
import * as registration from './domains/registration.ts'

/** What other services store of a name. */
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

const quoteErrors = ['NAME_INVALID', 'NAME_RESERVED'] as const
// one for each form of the body: what is quoted is what the call registers
const quoteName = endpoint({
  ...quoting,
  path: '/internal/v1/domains/quote',
  summary: 'What x402 has to pay for a name',
  errors: [...quoteErrors, 'PRICE_MISMATCH'],
})
const quoteMoltName = endpoint({
  ...quoting,
  path: '/internal/v1/molt-domains/quote',
  summary: 'What x402 has to pay for a name, by the body of molt-domains/register',
  errors: [...quoteErrors, 'WALLET_MISMATCH'],
})

/** The five extensions: prices, registration, transfer, resolution. */
export const domainsApi = serviceApi('domains', {
  endpoints: { ...registration, ...lookups },
  internal: { getDomainRow, announceDomains, quoteName, quoteMoltName, getReservationUse, ...ledgerEndpoints },
  events: { domainActivated, domainTransferred, domainDeleted, domainSynced, domainsSnapshot },
  consumes,
})
