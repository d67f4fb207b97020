import { networkReader } from '@carapace/chain'
import { agentProjection, custodialWallets, usdcBalance } from '@carapace/projections'
import { baseUrlOf, type PartsOf, type Platform } from '@carapace/service'
import { domainStore } from './domain/domain.store.ts'
import { domainsLedger } from './ledger.ts'

export type Parts = PartsOf<typeof stores>

export const stores = (platform: Platform) => {
  const { config, db } = platform
  const ledger = domainsLedger(db)
  return {
    domains: domainStore(db, ledger),
    ledger,
    agents: agentProjection(platform),
    custodial: custodialWallets(platform),
    networks: networkReader(platform),
    usdcNow: usdcBalance(platform),
    baseUrl: baseUrlOf(config),
  }
}
