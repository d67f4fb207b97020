import { networkReader } from '@carapace/chain'
import type { Platform } from '@carapace/service'
import { type AgentStore, agentStore } from './agent.store.ts'
import type { Agent } from './agent.ts'
import { counter } from './counter.store.ts'
import { credentialDesk, type Issued } from './credential/issued.ts'
import { type Issuer, issuerSource } from './credential/issuer.ts'
import { type Invites, inviteStore } from './invite.store.ts'
import { type MigrationStore, migrationStore } from './migration/migration.store.ts'
import { type CardContracts, cardContracts } from './networks.ts'
import { type TokenOwners, tokenOwners } from './owner.store.ts'
import { type EvidenceStore, evidenceStore } from './skills/evidence.store.ts'
import { type RepositoryCheck, repositoryCheck } from './skills/github.ts'
import { type ReversedGigs, reversedGigStore } from './skills/reversed-gig.store.ts'

/** The collections of identity. */
export interface Stores {
  agents: AgentStore
  owners: TokenOwners
  cards: CardContracts
  invites: Invites
  migrations: MigrationStore
  evidence: EvidenceStore
  reversedGigs: ReversedGigs
  checkRepository: RepositoryCheck
  issuer: () => Promise<Issuer>
  credentialFor: (agent: Agent) => Promise<Issued>
  nextCard: () => Promise<number>
  /** Address of the gateway as clients see it, without a slash at the end. */
  baseUrl: string
}
export type Parts = Stores & Platform

export const stores = ({ db, config, peers, clock, newId }: Platform): Stores => {
  const baseUrl = (config.PUBLIC_BASE_URL ?? `http://${config.HOST}:${config.PORT}`).replace(/\/+$/, '')
  const issuer = issuerSource(config, baseUrl)
  return {
    agents: agentStore(db),
    owners: tokenOwners({ db, peers }),
    cards: cardContracts(networkReader({ peers })),
    invites: inviteStore(db),
    migrations: migrationStore(db),
    evidence: evidenceStore(db),
    reversedGigs: reversedGigStore(db),
    checkRepository: repositoryCheck(config.OUTBOUND_GITHUB),
    nextCard: counter(db, 'card'),
    issuer,
    credentialFor: credentialDesk({ clock, newId, issuer, baseUrl }),
    baseUrl,
  }
}
