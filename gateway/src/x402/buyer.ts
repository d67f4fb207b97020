import { isProven } from '@carapace/chain'
import type { Identity } from '../identity/identify.ts'
import type { Peer } from '../request/request.ts'

/** For whom something is bought. */
export interface Buyer {
  agentId: string | null
  ip: string
  /** The caller has proven to be that agent; false: it may be anybody who names it. */
  isProven: boolean
}

export const buyerOf = (agentId: string | null, identity: Identity, { ip }: Peer): Buyer => ({
  agentId,
  ip,
  isProven: agentId !== null && identity.agent?.agentId === agentId && isProven(identity),
})
