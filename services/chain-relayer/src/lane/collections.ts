import type { Chain } from '@carapace/api'
import { createIndexes, type Database, type Indexes } from '@carapace/store'
import type { mongo } from 'mongoose'
import type { ContractsRecord } from '../chain/hold-contracts.ts'
import type { Block } from '../chain/reader.ts'
import type { SeedRecord, WalletRecord } from '../custody/custody.ts'
import type { LeaseRecord } from './lease.ts'
import type { Op, Tx } from './records.ts'

/** How far the blocks of a network have been processed, and the hashes of the last of them, oldest first. _id: the network, or a retiring lane. */
export interface CursorRecord {
  _id: string
  genesis: string
  ring: Block[]
}
/** A contract event as it was published. */
export interface EventRecord {
  _id: string
  network: Chain
  blockNumber: number
  final: boolean
  removed: boolean
  /** When its withdrawal was published, Unix ms. */
  removedAt?: number
  /** Published as final in a block that was dropped: how many consecutive polls did not find it. */
  doubts?: number
  /** Of the last of those polls, Unix ms. */
  doubtedAt?: number
  data: Record<string, unknown>
}

export interface Collections {
  ops: mongo.Collection<Op>
  txs: mongo.Collection<Tx>
  leases: mongo.Collection<LeaseRecord>
  contracts: mongo.Collection<ContractsRecord>
  cursors: mongo.Collection<CursorRecord>
  events: mongo.Collection<EventRecord>
  wallets: mongo.Collection<WalletRecord>
  seeds: mongo.Collection<SeedRecord>
}

/** Partial where they can be: a record costs an index entry only while a query needs it. `one_live_tx` and the ids of transactions make a second effect impossible. */
const indexes = {
  ops: {
    queue: { key: { lane: 1, order: 1 }, partialFilterExpression: { state: 'QUEUED' } },
    recent: { key: { order: -1 } },
    aggregate: { key: { aggregateKey: 1 } },
    found: { key: { lane: 1, state: 1 }, partialFilterExpression: { 'result.already': true } },
  },
  txs: {
    one_live_tx: { key: { liveOps: 1 }, unique: true, partialFilterExpression: { liveOps: { $exists: true } } },
    slots: { key: { lane: 1, nonce: -1 } },
    unfinished: { key: { lane: 1, nonce: 1 }, partialFilterExpression: { unfinished: true } },
    // of an effect that is on chain already: which transaction of ours had it
    carried: { key: { 'ops.opKey': 1 } },
    // what was final in blocks that the node reports as dropped
    final_block: { key: { 'block.hash': 1 }, partialFilterExpression: { state: 'FINAL' } },
  },
  events: {
    unfinished: { key: { network: 1, final: 1, blockNumber: 1 } },
    doubted: { key: { network: 1 }, partialFilterExpression: { doubts: { $exists: true } } },
    withdrawn: { key: { network: 1, removedAt: 1 }, partialFilterExpression: { removedAt: { $exists: true } } },
  },
  wallets: {
    n: { key: { n: 1 }, unique: true },
    address: { key: { address: 1 }, unique: true },
  },
} satisfies Partial<Record<keyof Collections, Indexes>>

/** The relayer's collections with their indexes. */
export async function openCollections(db: Database): Promise<Collections> {
  const native = db.connection.getClient().db(db.name)
  const collections: Collections = {
    ops: native.collection<Op>('chain_ops'),
    txs: native.collection<Tx>('chain_txs'),
    leases: native.collection<LeaseRecord>('chain_leases'),
    contracts: native.collection<ContractsRecord>('chain_contracts'),
    cursors: native.collection<CursorRecord>('chain_cursors'),
    events: native.collection<EventRecord>('chain_events'),
    wallets: native.collection<WalletRecord>('custody_wallets'),
    seeds: native.collection<SeedRecord>('custody_seeds'),
  }
  await Promise.all((Object.keys(indexes) as (keyof typeof indexes)[]).map(name => createIndexes(collections[name], indexes[name])))
  return collections
}
