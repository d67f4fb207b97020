import { type Body, type Call, Refused } from './call.ts'
import type { Player } from './job.ts'

/** Makes the player the agent of its wallet, if it has one. @returns whether it has */
export async function signIn(player: Player, make: (call: Call) => Promise<Body>): Promise<boolean> {
  try {
    const agent = await make({ method: 'GET', path: `/api/wallets/${player.wallet.address}/agent` })
    Object.assign(player, { agentId: agent.id, handle: agent.handle })
    return true
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return false
    throw error
  }
}
