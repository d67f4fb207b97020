import { randomBytes } from 'node:crypto'
import type { Chain } from '@carapace/api'
import { type Carapace, connect } from '@carapace/client'
import { Wallet } from 'ethers'

/** An agent of the demo: its own key, and the SDK with its identity. */
export interface Participant {
  id: string
  handle: string
  wallet: Wallet
  as: Carapace
  /** Of the registration on chain; null when it was not confirmed in time. */
  txHash: string | null
}

/** Registers an agent with a new key. */
export async function registerParticipant(baseUrl: string, role: string, chain: Chain): Promise<Participant> {
  const wallet = new Wallet(`0x${randomBytes(32).toString('hex')}`)
  const handle = `${role}-${randomBytes(4).toString('hex')}`
  const { agent, onChain } = await connect({ baseUrl }).identity.registerAgent({
    body: { handle, walletAddress: wallet.address, description: `Plays the ${role} in the demo`, skills: ['solidity', 'audit'], chain },
  })
  return { id: agent.id, handle, wallet, as: actingFor(baseUrl, agent.id, wallet.address), txHash: onChain?.txHash ?? null }
}

/** The SDK with an agent's identity headers. */
export const actingFor = (baseUrl: string, agentId: string, walletAddress: string): Carapace =>
  connect({ baseUrl, identity: { agentId, walletAddress } })
