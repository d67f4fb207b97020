import { type Chain, walletCreated } from '@carapace/api'
import { sharedRead } from '@carapace/service'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Indexes, type Stored } from '@carapace/store'

/** A custodial wallet: one address, the same on all networks; its key lives in the relayer. */
export interface Wallet {
  id: string
  agentId: string
  /** EIP-55 */
  address: string
  /** The home network: what "the balance" speaks of. */
  chain: Chain
}

const indexes: Indexes = {
  agent: { key: { agentId: 1 }, unique: true },
  address: { key: { address: 1 }, unique: true },
  newest: { key: { createdAt: -1, _id: -1 } },
}

export type WalletStore = AggregateStore<Wallet> & {
  of(agentId: string): Promise<Stored<Wallet> | undefined>
  byAddress(address: string): Promise<Stored<Wallet> | undefined>
}

export function walletStore(db: Database): WalletStore {
  const wallets = aggregateStore<Wallet>(db, {
    collection: 'wallets',
    resource: 'wallet',
    indexes,
    optimistic: true,
    duplicates: { agent: 'ALREADY_EXISTS', address: 'ALREADY_EXISTS' },
  })
  const one = async (filter: Record<string, unknown>) => (await wallets.find(filter, { limit: 1 }))[0]
  return { ...wallets, of: sharedRead(agentId => one({ agentId })), byAddress: sharedRead(address => one({ address })) }
}

export function openWallet(wallet: Wallet): Decision<Wallet> {
  const { id, agentId, address, chain } = wallet
  return { state: wallet, events: [walletCreated.of({ walletId: id, agentId, address, chain })] }
}
