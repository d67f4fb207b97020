import { type AgentCaller, refuse } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import { unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { type Domain, hasFailed, lastOperation, type Operation } from './domain.ts'
import { ownerOnChain } from './reconcile.ts'
import { requestDeletion, requestTransfer } from './requests.ts'

/** A name and the number of an operation on it. */
export interface Made {
  domain: Stored<Domain>
  operation: Operation
}

const commandTimeMs = 15 * 60_000
export const deadline = (): Date => new Date(Date.now() + commandTimeMs)

export const operationOf = (domain: Stored<Domain>, operationId: string): Operation =>
  domain.operations.findLast(operation => operation.operationId === operationId)!

/** What the same request has done or has under way; one that failed for good is made again. */
export async function earlier(parts: Parts, operationId: string): Promise<Made | undefined> {
  const made = await madeBy(parts, operationId)
  return made && hasFailed(made.operation) ? undefined : made
}

/** The operation of a request, however it ended. */
export async function madeBy({ domains }: Parts, operationId: string): Promise<Made | undefined> {
  const domain = await domains.ofOperation(operationId)
  return domain && { domain, operation: operationOf(domain, operationId) }
}

/** Sends a name to another wallet. @throws NOT_OWNER, SELF_ACTION, INVALID_STATE, ALREADY_EXISTS when the receiving agent has a .molt name */
export async function transfer(parts: Parts, id: string, request: { caller: AgentCaller; to: string; operationId: string }): Promise<Made> {
  const { caller, operationId } = request
  const done = await earlier(parts, operationId)
  if (done) return done
  const receiver = await parts.agents.byWallet(request.to)
  const to = toChecksum(request.to)
  const change = { wallet: caller.wallet, to, toAgentId: receiver?.id ?? null, operationId, now: parts.clock.now(), deadline: deadline() }
  const domain = await parts.domains.change(id, present => requestTransfer(present, change))
  return { domain, operation: operationOf(domain, operationId) }
}

/**
 * Deletes a name; what the caller has deleted already answers as the first time. The contract burns the token without regard to its owner: one that the caller has
 * sent on while its final log is still to come is not the caller's to delete.
 * @throws NOT_OWNER, INVALID_STATE, CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
export async function deleteName(parts: Parts, id: string, { caller, operationId }: { caller: AgentCaller; operationId: string }): Promise<Made> {
  const present = await parts.domains.need(id)
  const done = (await earlier(parts, operationId)) ?? deletionBy(present, caller.wallet)
  if (done) return done
  const owner = present.ownerWallet === caller.wallet ? await ownerOnChain(parts, present) : null
  if (owner !== null && owner !== caller.wallet) refuse('NOT_OWNER')
  const request = { wallet: caller.wallet, operationId, now: parts.clock.now(), deadline: deadline() }
  const domain = await parts.domains.change(id, present => requestDeletion(present, request))
  return { domain, operation: operationOf(domain, operationId) }
}

/** The last operation on a name, where it is a deletion by this wallet. */
function deletionBy(domain: Stored<Domain>, wallet: string): Made | undefined {
  const operation = lastOperation(domain)
  return operation?.kind === 'delete' && operation.onChain?.status !== 'failed' && operation.from === wallet ? { domain, operation } : undefined
}

/** The operation once the chain has decided it; as it is when that lasts longer than an answer may. */
export async function outcomeOf(parts: Parts, { domain, operation }: Made, timeoutMs: number): Promise<Made> {
  const probe = async () => {
    const present = await unlessPassing(parts.domains.get(domain.id).then(found => found ?? domain))
    const found = present?.operations.find(({ n }) => n === operation.n)
    const status = found?.onChain?.status
    return present && found && (status === 'confirmed' || status === 'failed') ? { domain: present, operation: found } : undefined
  }
  return (await parts.wait('domains', domain.id, probe, timeoutMs)) ?? { domain, operation }
}
