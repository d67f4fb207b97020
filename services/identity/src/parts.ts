import type { Platform } from '@carapace/service'
import { type AgentStore, agentStore } from './agent.store.ts'
import { counter } from './counter.store.ts'
import { type Invites, inviteStore } from './invite.store.ts'
import { type CardContracts, cardContracts } from './networks.ts'
import { type TokenOwners, tokenOwners } from './owner.store.ts'

/** What identity keeps. */
export interface Stores {
  agents: AgentStore
  owners: TokenOwners
  cards: CardContracts
  invites: Invites
  nextCard: () => Promise<number>
  /** Address of the gateway as the world sees it, without a slash at the end. */
  baseUrl: string
}
export type Parts = Stores & Platform

export const stores = ({ db, config, peers }: Platform): Stores => ({
  agents: agentStore(db),
  owners: tokenOwners(db),
  cards: cardContracts(peers),
  invites: inviteStore(db),
  nextCard: counter(db, 'card'),
  baseUrl: (config.PUBLIC_BASE_URL ?? `http://${config.HOST}:${config.PORT}`).replace(/\/+$/, ''),
})
