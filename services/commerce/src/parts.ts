import { networkReader } from '@carapace/chain'
import { agentProjection, custodialWallets, usdcBalance } from '@carapace/projections'
import type { PartsOf, Platform } from '@carapace/service'
import { applicationStore } from './application/application.store.ts'
import { jobStore } from './job/job.store.ts'
import { commerceLedger } from './ledger.ts'
import { receiptStore } from './receipt/receipt.store.ts'

export type Parts = PartsOf<typeof stores>

export const stores = (platform: Platform) => {
  const ledger = commerceLedger(platform.db)
  return {
    jobs: jobStore(platform.db, ledger),
    applications: applicationStore(platform.db),
    receipts: receiptStore(platform.db),
    ledger,
    agents: agentProjection(platform),
    custodial: custodialWallets(platform),
    networks: networkReader(platform),
    usdcNow: usdcBalance(platform),
  }
}
