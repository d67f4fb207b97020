import { refuse, retryableIn } from '@carapace/api'
import { commands, sentOnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { type Domain, lastOperation } from './domain.ts'
import { newOperation, nextNumber, withOperation } from './reservation.ts'
import { type DomainState, type DomainTrigger, domainStates, passingStates } from './states.ts'

export interface ChangeRequest {
  /** Wallet of the caller, EIP-55. */
  wallet: string
  operationId: string
  now: Date
  /** Past it the relayer signs nothing, wall clock. */
  deadline: Date
}

/** @throws NOT_OWNER, retryable while a transfer to this wallet is under way */
function needOwner(domain: Domain, wallet: string): void {
  if (domain.ownerWallet === wallet) return
  const operation = lastOperation(domain)
  refuse('NOT_OWNER', undefined, operation?.onChain?.status === 'pending' && operation.to === wallet ? { retryable: true } : {})
}

/** @throws INVALID_STATE, retryable while the chain has yet to decide the operation before */
function moved({ status }: Domain, trigger: DomainTrigger): DomainState {
  const to = domainStates.next(status, trigger)
  if (to !== undefined) return to
  const allowed = domainStates.allowedIn(trigger)
  const message = `The domain is ${status}; this needs ${allowed.join(' or ')}`
  return refuse('INVALID_STATE', { state: status, allowed }, { message, ...retryableIn(passingStates, status, allowed) })
}

/** Sends a name to another wallet; the receiving agent's place is reserved with it. @throws NOT_OWNER, SELF_ACTION, INVALID_STATE */
export function requestTransfer(domain: Domain, request: ChangeRequest & { to: string; toAgentId: string | null }): Decision<Domain> {
  const { wallet, operationId, now, deadline, to, toAgentId } = request
  needOwner(domain, wallet)
  if (to === wallet) refuse('SELF_ACTION')
  const status = moved(domain, 'transfer')
  const n = nextNumber(domain)
  const { id, chain, registry: contract, fullDomain, agentId, linkedAgents, tld } = domain
  const operation = newOperation({
    kind: 'transfer',
    n,
    operationId,
    at: now,
    onChain: sentOnChain,
    from: wallet,
    to,
    fromAgentId: agentId,
    toAgentId,
    linkedBefore: linkedAgents,
  })
  const linked = tld === '.molt' && toAgentId !== null ? [...linkedAgents.filter(other => other !== toAgentId), toAgentId] : linkedAgents
  return {
    state: { ...domain, status, linkedAgents: linked, operations: withOperation(domain, operation) },
    events: [commands.domainTransfer({ chain, contract, domainId: id, n, fullDomain, from: wallet, to, deadline })],
  }
}

/** Deletes a name. @throws NOT_OWNER, INVALID_STATE */
export function requestDeletion(domain: Domain, { wallet, operationId, now, deadline }: ChangeRequest): Decision<Domain> {
  needOwner(domain, wallet)
  const status = moved(domain, 'burn')
  const n = nextNumber(domain)
  const { id, chain, registry: contract, fullDomain, agentId, linkedAgents } = domain
  const operation = newOperation({
    kind: 'delete',
    n,
    operationId,
    at: now,
    onChain: sentOnChain,
    from: wallet,
    to: null,
    fromAgentId: agentId,
    toAgentId: null,
    linkedBefore: linkedAgents,
  })
  return {
    state: { ...domain, status, operations: withOperation(domain, operation) },
    events: [commands.domainBurn({ chain, contract, domainId: id, n, fullDomain, deadline })],
  }
}
