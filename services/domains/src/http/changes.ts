import { type domainsApi, refuse } from '@carapace/api'
import { type Handlers, reply } from '@carapace/service'
import { isOwned, lastOperation, registrationOf } from '../domain/domain.ts'
import { parseFullName } from '../domain/full-name.ts'
import { linkMolt } from '../domain/link-molt.ts'
import { deleteName, type Made, outcomeOf, transfer } from '../domain/operations.ts'
import { reconcile } from '../domain/reconcile.ts'
import { domainView } from '../domain/views.ts'
import type { Parts } from '../parts.ts'
import { namePage, operationPath } from './shown.ts'

export const changeHandlers = (parts: Parts) => {
  const { domains } = parts
  /** Waits for the chain. @throws CONFLICT when it refused the operation: nothing changed */
  const ended = async (made: Made, waitMs: number): Promise<Made> => {
    const outcome = await outcomeOf(parts, made, waitMs)
    if (outcome.operation.onChain?.status === 'failed')
      refuse('CONFLICT', { error: outcome.operation.onChain.error }, { message: 'The chain refused it; nothing changed' })
    return outcome
  }

  return {
    transferDomain: async ({ params, body, caller, operationId, waitMs }) => {
      const { id } = (await domains.get(params.id)) ?? (await domains.byName(params.id.toLowerCase())) ?? refuse('NOT_FOUND', { resource: 'domain' })
      const { domain, operation } = await ended(await transfer(parts, id, { caller, to: body.toAddress, operationId }), waitMs())
      const answer = { record: domainView(domain, namePage(parts), parts.clock.now()), txHash: operation.onChain?.txHash ?? null }
      return operation.onChain?.status === 'confirmed' ? answer : reply(202, { ...answer, statusUrl: operationPath(domain, operation) })
    },

    deleteMoltDomain: async ({ params, caller, operationId, waitMs }) => {
      const { name, tld = '.molt' } = parseFullName(params.name)
      if (tld !== '.molt') refuse('NOT_FOUND', { resource: 'domain' })
      const { id } = (await domains.byName(`${name}${tld}`)) ?? refuse('NOT_FOUND', { resource: 'domain' })
      const { domain, operation } = await ended(await deleteName(parts, id, { caller, operationId }), waitMs())
      const answer = { name: domain.fullDomain }
      return operation.onChain?.status === 'confirmed' ? answer : reply(202, { ...answer, statusUrl: operationPath(domain, operation) })
    },

    syncMoltDomain: async ({ caller }) => {
      const linked = await domains.moltOf(caller.agentId)
      const present = linked && isOwned(linked) ? await reconcile(parts, linked, null) : linked
      const isOwn = present?.linkedAgents.includes(caller.agentId)
      const domain = (isOwn ? present : ((await linkMolt(parts, caller.agentId)) ?? present)) ?? refuse('NOT_FOUND', { resource: 'domain' })
      const { fullDomain, tokenId } = domain
      return {
        moltDomain: fullDomain,
        onChain: isOwned(domain) && lastOperation(domain)?.onChain?.status !== 'pending',
        tokenId,
        txHash: registrationOf(domain)?.onChain?.txHash ?? null,
      }
    },
  } satisfies Handlers<typeof domainsApi>
}
