import { agentStatusChanged, hourMs, type identityApi, refuse } from '@carapace/api'
import type { HandlersOf } from '@carapace/service'
import type { Decision } from '@carapace/store'
import { type Agent, changed } from '../agent.ts'
import type { Parts } from '../parts.ts'

type Handlers = HandlersOf<typeof identityApi>

export const adminHandlers = (parts: Parts): Pick<Handlers, 'suspendAgent' | 'createInvite'> => ({
  suspendAgent: async ({ params, body }) => {
    const agent = await parts.agents.change(params.id, present => suspend(present, body.suspended, body.reason))
    return { agentId: agent.id, status: agent.status }
  },

  createInvite: async ({ body, caller }) => {
    const expiresAt = new Date(parts.clock.now().getTime() + body.expiresInHours * hourMs)
    return { token: await parts.invites.make(body.uses, expiresAt, caller.wallet), uses: body.uses, expiresAt: expiresAt.toISOString() }
  },
})

/** @throws INVALID_STATE for an agent that migrated, or that has no wallet to come back with */
function suspend(agent: Agent, suspended: boolean, reason: string): Decision<Agent> | undefined {
  const status = suspended ? 'suspended' : 'active'
  if (agent.status === status) return undefined
  if (agent.status === 'migrated' || agent.wallet === null) refuse('INVALID_STATE', { state: agent.status })
  const { id: agentId, handle, wallet, formerWallet } = agent
  return changed(agent, { status }, [agentStatusChanged.of({ agentId, handle, status, wallet, formerWallet, cause: 'admin', reason })])
}
