import { networkReader } from '@carapace/chain'
import { agentIdentities, custodialWallets } from '@carapace/projections'
import type { PartsOf, Platform } from '@carapace/service'
import { bondStores } from './bond/stores.ts'
import { openBooks } from './books.ts'
import { checkedBooks } from './checked-books.ts'
import { rewardStores } from './claim/stores.ts'
import { escrowStore } from './escrow/escrow.store.ts'
import { escrowLedger } from './ledger.ts'
import { receiptStores } from './receipt/stores.ts'
import { sharedReads } from './shared-reads.ts'
import { slashStore } from './slash/slash.store.ts'
import { tvlRow } from './tvl.store.ts'

export type Parts = PartsOf<typeof stores>

export function stores(platform: Platform) {
  const { db, queue } = platform
  const [ledger, tvl] = [escrowLedger(db), tvlRow(db)]
  const books = openBooks(ledger, tvl)
  const bonds = bondStores(platform, books)
  const networks = networkReader(platform)
  const projections = { agents: agentIdentities(platform), custodial: custodialWallets(platform) }
  const records = { escrows: escrowStore(db, books, queue), ...bonds, slashes: slashStore(db), ...rewardStores(db, books), ...receiptStores(db) }
  return { ...records, checked: checkedBooks(platform, records), ledger, tvl, networks, ...projections, ...sharedReads(platform, bonds.bonds) }
}
