import { chainRelayerApi, type GigRow, marketplaceApi } from '@carapace/api'
import { type NetworkReader, networkReader } from '@carapace/chain'
import { type AgentProjection, agentProjection } from '@carapace/projections'
import { type PerKeyQueue, type Platform, perKeyQueue, sharedRead } from '@carapace/service'
import type { Ledger, Stored } from '@carapace/store'
import { type BondStore, bondStore } from './bond/bond.store.ts'
import type { Bond } from './bond/bond.ts'
import { bondFailures, bondHistory, type Failures, type History } from './bond/history.store.ts'
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
  bondFailures: Failures
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
  /** The stored bond of an agent, for what only reads: concurrent callers share a read. */
  bondNow(agentId: string): Promise<Stored<Bond> | undefined>
  /** The marketplace's own row of a gig. @throws NOT_FOUND, DEPENDENCY_UNAVAILABLE */
  gigNow(gigId: string): Promise<GigRow>
  /** What an address holds, micro-USDC; named `<chain>/<address>`. @throws DEPENDENCY_UNAVAILABLE, CHAIN_UNAVAILABLE */
  usdcNow(holder: string): Promise<bigint>
}
export type Parts = Stores & Platform

export const stores = (platform: Platform): Stores => {
  const bonds = bondStore(platform.db)
  return {
    escrows: escrowStore(platform.db),
    bonds,
    bondHistory: bondHistory(platform.db),
    bondFailures: bondFailures(platform.db),
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
    bondNow: sharedRead(agentId => bonds.get(agentId)),
    gigNow: sharedRead(id => platform.peers.call('marketplace', marketplaceApi.internal.getGigRow, { params: { id } })),
    usdcNow: sharedRead(async holder => {
      const [chain = '', wallet = ''] = holder.split('/')
      return BigInt((await platform.peers.call('chain-relayer', chainRelayerApi.internal.chainBalance, { params: { chain, wallet } })).usdc)
    }),
  }
}
