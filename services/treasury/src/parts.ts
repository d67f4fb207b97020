import { type NetworkReader, networkReader } from '@carapace/chain'
import { type AgentProjection, agentProjection } from '@carapace/projections'
import { type PerKeyQueue, type Platform, perKeyQueue } from '@carapace/service'
import type { Ledger } from '@carapace/store'
import { treasuryLedger } from './accounts.ts'
import { type BudgetStore, budgetStore } from './budget.store.ts'
import { type DepositStore, depositStore } from './deposit/deposit.store.ts'
import { type Gigs, gigProjection } from './gigs.ts'
import { type History, historyStore } from './history.store.ts'
import { type PaymentStore, paymentStore } from './payment.store.ts'
import { type ReservationStore, reservationStore } from './reservation.store.ts'
import { type SettlementStore, settlementStore } from './settlement.store.ts'
import { type WalletStore, walletStore } from './wallet.store.ts'

/** What the treasury keeps. */
export interface Stores {
  wallets: WalletStore
  budgets: BudgetStore
  reservations: ReservationStore
  payments: PaymentStore
  settlements: SettlementStore
  history: History
  deposits: DepositStore
  ledger: Ledger
  agents: AgentProjection
  gigs: Gigs
  networks: NetworkReader
  /** Of agents, by id. */
  queue: PerKeyQueue
  /** Money on chain that no entry speaks of, by network and address, and since when (wall clock, ms). */
  excess: Map<string, { amount: bigint; since: number }>
}
export type Parts = Stores & Platform

export const stores = (platform: Platform): Stores => ({
  wallets: walletStore(platform.db),
  budgets: budgetStore(platform.db),
  reservations: reservationStore(platform.db),
  payments: paymentStore(platform.db),
  settlements: settlementStore(platform.db),
  history: historyStore(platform.db),
  deposits: depositStore(platform.db),
  ledger: treasuryLedger(platform.db),
  agents: agentProjection(platform),
  gigs: gigProjection(platform),
  networks: networkReader(platform),
  queue: perKeyQueue(),
  excess: new Map(),
})
