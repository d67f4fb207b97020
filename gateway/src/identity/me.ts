import type { IncomingMessage } from 'node:http'
import { refuse } from '@carapace/api'
import type { Agents } from './agents.ts'
import type { Identity } from './identify.ts'
import { namedAgent, namedWallet } from './named-agent.ts'

/** What a caller may want to know of itself. */
export interface Me {
  walletAddress: string | null
  agentId: string | null
  isRegistered: boolean
  /** Whether this request bears a signature of the wallet, which was checked. */
  isSigned: boolean
}

/** Who a request comes from, by its signature, or by its headers alone. @throws WALLET_MISMATCH where these name two */
export async function whoCalls(request: Pick<IncomingMessage, 'headers'>, { signedBy }: Pick<Identity, 'signedBy'>, agents: Agents): Promise<Me> {
  const id = await namedAgent(request, agents)
  const agent = id === undefined ? undefined : ((await agents.byId(id)) ?? (await agents.freshById(id)))
  const wallet = signedBy ?? namedWallet(request)
  if (agent && wallet !== undefined && agent.wallet?.toLowerCase() !== wallet.toLowerCase())
    refuse('WALLET_MISMATCH', undefined, { message: `The agent ${agent.id} has another wallet than ${wallet}` })
  return {
    walletAddress: wallet ?? agent?.wallet ?? null,
    agentId: agent?.id ?? null,
    isRegistered: agent !== undefined,
    isSigned: signedBy !== undefined,
  }
}
