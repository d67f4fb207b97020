import { agentStatusChanged, hourMs, type identityApi, refuse } from '@carapace/api'
import type { Handlers } from '@carapace/service'
import type { Decision } from '@carapace/store'
import { type Agent, changed } from '../agent.ts'
import { withNewEntry } from '../credential/status-list.ts'
import type { Parts } from '../parts.ts'

export const adminHandlers = (parts: Parts) =>
  ({
    suspendAgent: async ({ params, body }) => {
      const entry = await parts.nextCard()
      const agent = await parts.agents.change(params.id, present => suspend(present, body.suspended, body.reason, entry))
      return { agentId: agent.id, status: agent.status }
    },

    createInvite: async ({ body, caller }) => {
      const expiresAt = new Date(parts.clock.now().getTime() + body.expiresInHours * hourMs)
      return { token: await parts.invites.make(body.uses, expiresAt, caller.wallet), uses: body.uses, expiresAt: expiresAt.toISOString() }
    },
  }) satisfies Handlers<typeof identityApi>

/**
 * @param entry of the status list, for the credentials of an agent that acts again
 * @throws INVALID_STATE for an agent that migrated, or that has no wallet to come back with
 */
function suspend(agent: Agent, suspended: boolean, reason: string, entry: number): Decision<Agent> | undefined {
  const status = suspended ? 'suspended' : 'active'
  if (agent.status === status) return undefined
  if (agent.status === 'migrated' || agent.wallet === null) refuse('INVALID_STATE', { state: agent.status })
  const { id: agentId, handle, wallet, formerWallet } = agent
  return changed(agent, { status, ...(suspended ? {} : withNewEntry(agent, entry)) }, [
    agentStatusChanged.of({ agentId, handle, status, wallet, formerWallet, cause: 'admin', reason }),
  ])
}
