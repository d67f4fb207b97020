import { type AgentProjection, agentProjection } from '@carapace/projections'
import type { Platform } from '@carapace/service'
import type { Ledger } from '@carapace/store'
import { type EscrowStore, escrowStore } from './escrow/escrow.store.ts'
import { escrowLedger, type TvlRow, tvlRow } from './ledger.ts'
import { type Networks, networkReader } from './networks.ts'
import { type Earnings, earningStore } from './receipt/earning.store.ts'
import { type Receipts, receiptStore } from './receipt/receipt.store.ts'
import { type Wallets, walletProjection } from './wallets.ts'

/** What the escrow keeps. */
export interface Stores {
  escrows: EscrowStore
  receipts: Receipts
  earnings: Earnings
  ledger: Ledger
  tvl: TvlRow
  agents: AgentProjection
  /** Custodial wallets by agent. */
  custodial: Wallets
  networks: Networks
}
export type Parts = Stores & Platform

export const stores = (platform: Platform): Stores => ({
  escrows: escrowStore(platform.db),
  receipts: receiptStore(platform.db),
  earnings: earningStore(platform.db),
  ledger: escrowLedger(platform.db),
  tvl: tvlRow(platform.db),
  agents: agentProjection(platform),
  custodial: walletProjection(platform),
  networks: networkReader(platform),
})
