import { type domainsApi, domainsSnapshot, refuse } from '@carapace/api'
import { operationParts } from '@carapace/chain'
import { announceRows, clearingHandlers, doctorHandlers, type Handlers, sagaHandlers } from '@carapace/service'
import { explainClearing } from '../clearing.ts'
import { quoteMoltName, quoteName } from '../domain/register-by-payment.ts'
import { domainRow } from '../domain/views.ts'
import { checks } from '../invariants.ts'
import type { Parts } from '../parts.ts'

export const internalHandlers = (parts: Parts) =>
  ({
    getDomainRow: async ({ params }) => domainRow((await parts.domains.byName(params.fullDomain)) ?? refuse('NOT_FOUND', { resource: 'domain' })),

    announceDomains: ({ body }) => announceRows(parts, domainsSnapshot, body, parts.domains, domainRow, { listed: true }),

    quoteName: ({ body }) => quoteName(parts, body),

    quoteMoltName: ({ body }) => quoteMoltName(parts, body),

    getReservationUse: async ({ body }) => {
      const [, id, n] = operationParts(body.key)
      const operation = (await parts.domains.get(id))?.operations.find(one => String(one.n) === n)
      return { isOpen: operation !== undefined && operation.onChain?.status !== 'failed' }
    },

    ...doctorHandlers(parts, checks),
    ...sagaHandlers(parts),
    ...clearingHandlers(parts, explainClearing),
  }) satisfies Handlers<typeof domainsApi>
