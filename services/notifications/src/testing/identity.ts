import { type AgentRow, identityApi, refuse, socialApi } from '@carapace/api'
import { newTestAgent, stubPeer } from '@carapace/testing'

export const stranger = '0190a5d0-0000-7000-8000-00000000dead'
export const named = { id: '0190a5d0-0000-7000-8000-00000000beef', handle: 'has-a-name' }

const nobody = () => refuse('NOT_FOUND', { resource: 'agent' })

/** A stub of identity: it has every id but the stranger's, and one handle. */
export const identityStub = stubPeer(identityApi, {
  getAgentRow: ({ params }) => (params.id === stranger ? nobody() : rowOf(params.id)),
  getAgentRowByHandle: ({ params }) => (params.handle === named.handle ? rowOf(named.id) : nobody()),
})

const rowOf = (agentId: string): AgentRow => ({ ...newTestAgent().row, agentId })

/** A stub of social: one agent has unread messages. */
export const withMessages = { id: '0190a5d0-0000-7000-8000-00000000cafe', unread: 3 }
export const socialStub = stubPeer(socialApi, {
  countUnreadMessages: ({ params }) => ({ count: params.id === withMessages.id ? withMessages.unread : 0 }),
})
