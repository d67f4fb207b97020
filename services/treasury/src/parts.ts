import { networkReader } from '@carapace/chain'
import { agentIdentities } from '@carapace/projections'
import { endlessWalk, type PartsOf, type Platform } from '@carapace/service'
import { depositStore } from './deposit/deposit.store.ts'
import { treasuryLedger } from './ledger/ledger.ts'
import { paymentStores } from './payment-stores.ts'
import { gigProjection } from './reservation/gigs.ts'
import { walletStore } from './wallet/wallet.store.ts'
import { x402Stores } from './x402/stores.ts'

export type Parts = PartsOf<typeof stores>

export const stores = (platform: Platform) => {
  const { db } = platform
  const ledger = treasuryLedger(db)
  const wallets = walletStore(db)
  return {
    ledger,
    ...paymentStores(platform, { ledger, wallets }),
    wallets,
    /** Those whose money is compared with the chain in this minute. */
    walletsOfMinute: endlessWalk(wallets, 100),
    ...x402Stores(db, ledger),
    deposits: depositStore(db, ledger),
    agents: agentIdentities(platform),
    gigs: gigProjection(platform),
    networks: networkReader(platform),
    /** Money on chain that no entry speaks of, by network and address, and since when (wall clock, ms). */
    excess: new Map<string, { amount: bigint; since: number }>(),
  }
}
