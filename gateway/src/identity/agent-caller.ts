import { type AgentCaller, refuse } from '@carapace/api'
import type { Agents, KnownAgent } from './agents.ts'

/** The identity headers of a request, as sent. */
export interface AgentHeaders {
  agentId: string | undefined
  wallet: string | undefined
}

export interface ResolvedAgent extends AgentCaller {
  requireSignature: boolean
}

export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const walletForm = /^0x[0-9a-f]{40}$/
const zeroWallet = `0x${'0'.repeat(40)}`

/**
 * The registered agent that the headers name. Nobody is refused on the word of the gateway's copy alone: it is read again from its owner first.
 * @throws IDENTITY_INVALID for a malformed or unknown name, WALLET_MISMATCH for two different agents, ACCOUNT_SUSPENDED on a write
 */
export async function resolveAgent(headers: AgentHeaders, agents: Agents, write: boolean): Promise<ResolvedAgent> {
  const wanted = parseHeaders(headers)
  const copy = wanted.agentId === undefined ? await agents.byWallet(wanted.wallet!) : await agents.byId(wanted.agentId)
  if (copy && matches(copy, wanted) && isFree(copy, write)) return caller(copy)

  const agent = wanted.agentId === undefined ? await agents.freshByWallet(wanted.wallet!) : await agents.freshById(wanted.agentId)
  if (!agent) return refuse('IDENTITY_INVALID', { header: wanted.agentId === undefined ? 'x-wallet-address' : 'x-agent-id' })
  if (!matches(agent, wanted)) {
    const other = await agents.freshByWallet(wanted.wallet!)
    refuse(other ? 'WALLET_MISMATCH' : 'IDENTITY_INVALID', { header: 'x-wallet-address' })
  }
  if (!isFree(agent, write)) refuse('ACCOUNT_SUSPENDED', { status: agent.status })
  await agent.save()
  return caller(agent)
}

/** Lower-case copies; both missing is the caller's affair. @throws IDENTITY_INVALID */
function parseHeaders({ agentId, wallet }: AgentHeaders): AgentHeaders {
  const id = agentId?.toLowerCase()
  const address = wallet?.toLowerCase()
  if (id !== undefined && !uuidForm.test(id)) refuse('IDENTITY_INVALID', { header: 'x-agent-id' }, { message: 'x-agent-id must be a UUID' })
  if (address !== undefined && (!walletForm.test(address) || address === zeroWallet))
    refuse('IDENTITY_INVALID', { header: 'x-wallet-address' }, { message: 'x-wallet-address must be 0x and 40 hex digits, not the zero address' })
  return { agentId: id, wallet: address }
}

const matches = (agent: KnownAgent, wanted: AgentHeaders): boolean => wanted.wallet === undefined || agent.wallet?.toLowerCase() === wanted.wallet

const isFree = (agent: KnownAgent, write: boolean): boolean => !write || agent.status === 'active'

const caller = (agent: KnownAgent): ResolvedAgent => ({
  kind: 'agent',
  agentId: agent.id,
  // only an agent that has released its wallet has none, and it may only read
  wallet: agent.wallet ?? '',
  requireSignature: agent.requireSignature,
})
