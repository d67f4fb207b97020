import { type NetworkReader, networkReader } from '@carapace/chain'
import { type AgentProjection, agentProjection } from '@carapace/projections'
import { type PerKeyQueue, type Platform, perKeyQueue } from '@carapace/service'
import type { Ledger } from '@carapace/store'
import { type BondStore, bondStore } from './bond/bond.store.ts'
import { bondHistory, type History } from './bond/history.store.ts'
import { type Performances, performanceStore } from './bond/performance.store.ts'
import { type Slashes, slashStore } from './bond/slash.store.ts'
import { type EscrowStore, escrowStore } from './escrow/escrow.store.ts'
import { escrowLedger } from './ledger.ts'
import { type Earnings, earningStore } from './receipt/earning.store.ts'
import { type Receipts, receiptStore } from './receipt/receipt.store.ts'
import { type ClaimStore, claimStore, type RewardStore, rewardStore, type Sources, sourceStore } from './reward/reward.store.ts'
import { type TvlRow, tvlRow } from './tvl.store.ts'
import { type Wallets, walletProjection } from './wallets.ts'

/** What the escrow keeps. */
export interface Stores {
  escrows: EscrowStore
  bonds: BondStore
  bondHistory: History
  slashes: Slashes
  performances: Performances
  rewards: RewardStore
  rewardSources: Sources
  claims: ClaimStore
  receipts: Receipts
  earnings: Earnings
  ledger: Ledger
  tvl: TvlRow
  agents: AgentProjection
  /** Custodial wallets by agent. */
  custodial: Wallets
  networks: NetworkReader
  /** Of bonds by agent, of escrows by gig, of rewards by validation: transactions on one aggregate run one after another. */
  queue: PerKeyQueue
}
export type Parts = Stores & Platform

export const stores = (platform: Platform): Stores => ({
  escrows: escrowStore(platform.db),
  bonds: bondStore(platform.db),
  bondHistory: bondHistory(platform.db),
  slashes: slashStore(platform.db),
  performances: performanceStore(platform),
  rewards: rewardStore(platform.db),
  rewardSources: sourceStore(platform.db),
  claims: claimStore(platform.db),
  receipts: receiptStore(platform.db),
  earnings: earningStore(platform.db),
  ledger: escrowLedger(platform.db),
  tvl: tvlRow(platform.db),
  agents: agentProjection(platform),
  custodial: walletProjection(platform),
  networks: networkReader(platform),
  queue: perKeyQueue(),
})
