import { checkedRecords, type Platform } from '@carapace/service'
import { stakeWatch } from './bond/audit/stake-watch.ts'
import type { BondStore } from './bond/bond.store.ts'
import type { EscrowStore } from './escrow/escrow.store.ts'
import type { RewardStore } from './reward/reward.store.ts'

interface Records {
  escrows: EscrowStore
  bonds: BondStore
  rewards: RewardStore
}

/** The records that the checks of each minute compare with the ledger, or with a contract. */
export const checkedBooks = ({ clock }: Pick<Platform, 'clock'>, { escrows, bonds, rewards }: Records) => ({
  released: checkedRecords(escrows, clock, { filter: { status: 'released' } }),
  bonds: checkedRecords(bonds, clock),
  stakes: stakeWatch({ clock }, bonds),
  rewards: checkedRecords(rewards, clock),
  paidRewards: checkedRecords(rewards, clock, { filter: { 'fundedBy.fee': { $gt: 0n } } }),
})
