import { isProven } from '@carapace/chain'
import type { Identity } from '../identity/identify.ts'
import type { Peer } from '../request/request.ts'

/** For whom something is bought. */
export interface Buyer {
  /** Of a sold read the agent is only named, and the name gives no right to anything. */
  agentId: string | null
  /** Who may go on with the payment of a sold read: the wallet that signed the call, in lower case, else the client's address. */
  holder: string
  /** The caller has proven to be that agent; false: it may be anybody who names it. */
  isProven: boolean
}

export const buyerOf = (agentId: string | null, identity: Identity, { ip }: Peer): Buyer => ({
  agentId,
  holder: identity.signedBy?.toLowerCase() ?? ip,
  isProven: agentId !== null && identity.agent?.agentId === agentId && isProven(identity),
})
