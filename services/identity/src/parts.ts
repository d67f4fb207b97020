import { explorerOf, networkReader } from '@carapace/chain'
import { baseUrlOf, type PartsOf, type Platform } from '@carapace/service'
import { agentStore } from './agent.store.ts'
import { credentialParts } from './credential/parts.ts'
import { migrationStore } from './migration/migration.store.ts'
import { cardContracts } from './networks.ts'
import { registrationParts } from './registration/parts.ts'
import { evidenceStore } from './skills/evidence.store.ts'
import { repositoryCheck } from './skills/github.ts'
import { reversedGigStore } from './skills/reversed-gig.store.ts'

export type Parts = PartsOf<typeof stores>

export const stores = (platform: Platform) => {
  const networks = networkReader(platform)
  return {
    agents: agentStore(platform.db),
    authMode: platform.config.AUTH_MODE ?? ('signed' as const),
    cards: cardContracts(networks),
    migrations: migrationStore(platform.db),
    evidence: evidenceStore(platform.db),
    reversedGigs: reversedGigStore(platform.db),
    checkRepository: repositoryCheck(platform.config.OUTBOUND_GITHUB),
    explorer: explorerOf(networks, platform.config, baseUrlOf(platform.config)),
    ...registrationParts(platform),
    ...credentialParts(platform),
  }
}
