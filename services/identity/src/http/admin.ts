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
      const agent = await parts.agents.change(params.id, present => suspend(present, body, { entry, now: parts.clock.now() }))
      return { agentId: agent.id, status: agent.status }
    },

    listSuspensions: async ({ query }) => {
      // an agent that lost its wallet has nothing to come back with
      const { items, total } = await parts.agents.page({ status: 'suspended', walletKey: { $type: 'string' } }, query)
      const suspensions = items.map(({ id, handle, suspension }) => ({
        ...{ agentId: id, handle, reason: suspension?.reason ?? null },
        suspendedAt: suspension?.at.toISOString() ?? null,
      }))
      return { suspensions, total, ...query }
    },

    listInvites: async ({ query }) => {
      const { items, total } = await parts.invites.open(parts.clock.now(), query)
      const invites = items.map(({ usesLeft, expiresAt, createdBy }) => ({ usesLeft, expiresAt: expiresAt.toISOString(), createdBy }))
      return { invites, total, ...query }
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
function suspend(
  { suspension: _, ...agent }: Agent,
  { suspended, reason }: { suspended: boolean; reason: string },
  { entry, now }: { entry: number; now: Date },
): Decision<Agent> | undefined {
  const status = suspended ? 'suspended' : 'active'
  if (agent.status === status) return undefined
  if (agent.status === 'migrated' || agent.wallet === null) refuse('INVALID_STATE', { state: agent.status })
  const { id: agentId, handle, wallet, formerWallet } = agent
  return changed(agent, { status, ...(suspended ? { suspension: { at: now, reason } } : withNewEntry(agent, entry)) }, [
    agentStatusChanged.of({ agentId, handle, status, wallet, formerWallet, cause: 'admin', reason }),
  ])
}
