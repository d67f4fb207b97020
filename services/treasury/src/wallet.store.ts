import { type Chain, walletCreated } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Stored } from '@carapace/store'
import { Schema } from 'mongoose'

/** A custodial wallet: one address, the same on all networks; its key lives in the relayer. */
export interface Wallet {
  id: string
  agentId: string
  /** EIP-55 */
  address: string
  /** The home network: what "the balance" speaks of. */
  chain: Chain
}

const schema = new Schema<Wallet>({ agentId: String, address: String, chain: String })
schema.index({ agentId: 1 }, { name: 'agent', unique: true })
schema.index({ address: 1 }, { name: 'address', unique: true })
schema.index({ createdAt: -1, _id: -1 }, { name: 'newest' })

export type WalletStore = AggregateStore<Wallet> & {
  of(agentId: string): Promise<Stored<Wallet> | undefined>
  byAddress(address: string): Promise<Stored<Wallet> | undefined>
}

export function walletStore(db: Database): WalletStore {
  const wallets = aggregateStore<Wallet>(db, {
    collection: 'wallets',
    resource: 'wallet',
    schema,
    duplicates: { agent: 'ALREADY_EXISTS', address: 'ALREADY_EXISTS' },
  })
  const one = async (filter: Record<string, unknown>) => (await wallets.find(filter, { limit: 1 }))[0]
  return { ...wallets, of: agentId => one({ agentId }), byAddress: address => one({ address }) }
}

export function openWallet(wallet: Wallet): Decision<Wallet> {
  const { id, agentId, address, chain } = wallet
  return { state: wallet, events: [walletCreated.of({ walletId: id, agentId, address, chain })] }
}
