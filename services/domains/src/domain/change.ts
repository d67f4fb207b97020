import { refuse } from '@carapace/api'
import { commands, sentOnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import type { Domain } from './domain.ts'
import { newOperation, nextNumber, withOperation } from './registration.ts'
import { domainStates } from './states.ts'

export interface ChangeRequest {
  /** Wallet of the caller, EIP-55. */
  wallet: string
  operationId: string
  now: Date
  /** Past it the relayer signs nothing, wall clock. */
  deadline: Date
}

function needOwner(domain: Domain, wallet: string): void {
  if (domain.ownerWallet !== wallet) refuse('NOT_OWNER')
}

/** Sends a name to another wallet; the receiving agent's place is reserved with it. @throws NOT_OWNER, SELF_ACTION, INVALID_STATE */
export function requestTransfer(domain: Domain, request: ChangeRequest & { to: string; toAgentId: string | null }): Decision<Domain> {
  const { wallet, operationId, now, deadline, to, toAgentId } = request
  needOwner(domain, wallet)
  if (to === wallet) refuse('SELF_ACTION')
  const status = domainStates.move(domain.status, 'transfer')
  const n = nextNumber(domain)
  const { id, chain, fullDomain, agentId, linkedAgents, tld } = domain
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
  const linked = tld === '.molt' && toAgentId !== null ? [...linkedAgents.filter(known => known !== toAgentId), toAgentId] : linkedAgents
  return {
    state: { ...domain, status, linkedAgents: linked, operations: withOperation(domain, operation) },
    events: [commands.domainTransfer({ chain, domainId: id, n, fullDomain, from: wallet, to, deadline })],
  }
}

/** Deletes a name. @throws NOT_OWNER, INVALID_STATE */
export function requestDeletion(domain: Domain, { wallet, operationId, now, deadline }: ChangeRequest): Decision<Domain> {
  needOwner(domain, wallet)
  const status = domainStates.move(domain.status, 'burn')
  const n = nextNumber(domain)
  const { id, chain, fullDomain, agentId, linkedAgents } = domain
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
    events: [commands.domainBurn({ chain, domainId: id, n, fullDomain, deadline })],
  }
}
