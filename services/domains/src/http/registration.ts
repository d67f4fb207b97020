import { type Chain, domainsApi, type Extension, identityApi, refuse } from '@carapace/api'
import { isProven, toChecksum } from '@carapace/chain'
import { type Handlers, type RequestContext, reply, unlessPassing } from '@carapace/service'
import { isOwned, isPrimary } from '../domain/domain.ts'
import { parseFullName } from '../domain/full-name.ts'
import { type Made, outcomeOf } from '../domain/operations.ts'
import { faultOf } from '../domain/price.ts'
import { type NamePayment, registerOrReturn } from '../domain/register-by-payment.ts'
import { isRegistrable } from '../domain/reservation.ts'
import { profileUrl, type RegistrationRequest, register } from '../domain/reserve-name.ts'
import { checkView, domainView, onChainView } from '../domain/views.ts'
import type { Parts } from '../parts.ts'
import { namePage, operationPath } from './shown.ts'

/** What a registration answers: done, or under way with 202. @throws CONFLICT when the chain refused it: nothing was charged */
async function registered(parts: Parts, made: Made, waitMs: number) {
  const { domain, operation } = await outcomeOf(parts, made, waitMs)
  if (operation.onChain?.status === 'failed') {
    const { error } = operation.onChain
    if (operation.sale?.kind === 'x402')
      refuse('CONFLICT', { error }, { message: 'The name could not be minted; the payment goes back to its payer', retryable: false })
    refuse('CONFLICT', { error }, { message: 'The name could not be minted; nothing was charged' })
  }
  const agent = operation.toAgentId ? await unlessPassing(parts.agents.need(operation.toAgentId)) : undefined
  const { sale } = operation
  const record = domainView(domain, namePage(parts), parts.clock.now())
  const answer = {
    domain: domain.fullDomain,
    moltDomain: isOwned(domain) && isPrimary(domain) ? domain.fullDomain : null,
    free: sale === null,
    pricePaid: record.pricePaid,
    record,
    txHash: operation.onChain?.txHash ?? null,
    onChain: onChainView(operation.chain ?? domain.chain, operation),
    fullDomain: domain.fullDomain,
    tld: domain.tld,
    ownerWallet: operation.to ?? undefined,
    ...(agent ? { profileUrl: profileUrl(parts.baseUrl, agent.handle) } : {}),
  }
  return operation.onChain?.status === 'confirmed' ? answer : reply(202, { ...answer, statusUrl: operationPath(domain, operation) })
}

const paymentOf = ({ id, amount, chain }: NonNullable<RequestContext['payment']>): NamePayment => ({
  id,
  amount: BigInt(amount),
  chain: chain as Chain,
})

export const registrationHandlers = (parts: Parts) => {
  /** Score and wallet of the agent that a check is made for. */
  const agentOf = async (caller: { kind: string; agentId?: string } | undefined, agentId: string | undefined) => {
    const id = agentId ?? (caller?.kind === 'agent' ? caller.agentId : undefined)
    return id === undefined ? undefined : parts.agents.get(id)
  }
  const check = async (name: string, tld: Extension, agent: { fusedScore: number; wallet: string | null } | undefined) => {
    const fault = faultOf(name)
    const present = fault ? undefined : await parts.domains.byName(`${name}${tld}`)
    const isHeld = present !== undefined && !isRegistrable(present, agent?.wallet ?? '', parts.clock.now())
    return checkView({ name, tld }, fault ?? (isHeld ? 'taken' : null), agent?.fusedScore)
  }
  const registering = async (request: RegistrationRequest, waitMs: () => number, paid?: RequestContext['payment']) => {
    const made = paid ? await registerOrReturn(parts, { ...request, payment: paymentOf(paid) }) : await register(parts, request)
    return registered(parts, made, waitMs())
  }

  return {
    checkDomain: async ({ body, caller }) => check(body.name, body.tld, await agentOf(caller, body.agentId)),

    checkMoltDomain: async ({ params }) => {
      const typed = params.name.trim().toLowerCase()
      const name = typed.endsWith('.molt') ? typed.slice(0, -'.molt'.length) : typed
      return { ...(await check(name, '.molt', undefined)), name, display: `${name}.molt` }
    },

    checkDomains: async ({ body, caller }) => {
      const agent = await agentOf(caller, body.agentId)
      const results = await Promise.all(
        body.names.map(async typed => {
          const { name, tld } = parseFullName(typed)
          if (tld !== undefined) return check(name, tld, agent)
          // of an extension that nobody sells there is no price
          return { ...checkView({ name, tld: '.molt' }, 'invalid', agent?.fusedScore), fullDomain: typed.trim().toLowerCase() }
        }),
      )
      return { results, total: results.length }
    },

    registerMoltDomain: async ({ body, caller, context, operationId, waitMs }) => {
      if (body.walletAddress !== caller.wallet.toLowerCase()) refuse('WALLET_MISMATCH', { walletAddress: caller.wallet })
      const { name, extension: tld, authorization } = body
      const { path } = domainsApi.endpoints.registerMoltDomain
      const request = { caller, name, tld, mostPrice: undefined, authorization, isProven: isProven(context), operationId, path }
      return registering(request, waitMs, context.payment)
    },

    registerDomain: async ({ body, caller, context, operationId, waitMs }) => {
      const { name, tld, pricePaid: mostPrice, authorization } = body
      const { path } = domainsApi.endpoints.registerDomain
      const request = { caller, name, tld, mostPrice, authorization, isProven: isProven(context), operationId, path }
      return registering(request, waitMs, context.payment)
    },

    registerMoltAutonomously: async ({ body, operationId, waitMs }) => {
      const { name, extension: tld, agentId, walletAddress } = body
      const row = await parts.peers.find('identity', identityApi.internal.getAgentRow, { params: { id: agentId } })
      if (!row) refuse('NOT_FOUND', { resource: 'agent' })
      if (row.wallet?.toLowerCase() !== walletAddress) refuse('WALLET_MISMATCH', { field: 'walletAddress' })
      if (row.requireSignature) refuse('SIGNATURE_REQUIRED')
      const caller = { kind: 'agent' as const, agentId, wallet: toChecksum(walletAddress) }
      return registering({ caller, name, tld, mostPrice: 0n, authorization: undefined, isProven: false, operationId, path: undefined }, waitMs)
    },
  } satisfies Handlers<typeof domainsApi>
}
