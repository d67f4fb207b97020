import { refuse } from '@carapace/api'
import type { Parts } from '../parts.ts'

/** Where an agent is paid: its custodial wallet, else its registered one as identity has it now. @throws NOT_FOUND, DEPENDENCY_UNAVAILABLE */
export async function payeeOf({ agents, wallets }: Parts, agentId: string): Promise<{ handle: string; address: string }> {
  const wallet = await wallets.of(agentId)
  const agent = wallet ? await agents.need(agentId) : await agents.fresh(agentId)
  const address = wallet?.address ?? agent.wallet ?? refuse('NOT_FOUND', { resource: 'wallet' })
  return { handle: agent.handle, address }
}
