import type { Chain } from '@carapace/api'
import type { Database } from '@carapace/store'
import type { mongo } from 'mongoose'
import type { Block } from '../chain/reader.ts'
import type { SeedRecord, WalletRecord } from '../custody/custody.ts'
import type { LeaseRecord } from './lease.ts'
import type { OpRecord, TxRecord } from './records.ts'

/** How far the blocks of a network have been processed, and the hashes of the last of them, oldest first. */
export interface CursorRecord {
  _id: Chain
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
  /** Published as final in a block that was dropped: how many consecutive polls did not find it. */
  doubts?: number
  /** Of the last of those polls, Unix ms. */
  doubtedAt?: number
  data: Record<string, unknown>
}

export interface Collections {
  ops: mongo.Collection<OpRecord>
  txs: mongo.Collection<TxRecord>
  leases: mongo.Collection<LeaseRecord>
  cursors: mongo.Collection<CursorRecord>
  events: mongo.Collection<EventRecord>
  wallets: mongo.Collection<WalletRecord>
  seeds: mongo.Collection<SeedRecord>
}

/** The relayer's collections with their indexes. The two unique ones on chain_txs make a second effect impossible. */
export async function openCollections(db: Database): Promise<Collections> {
  const native = db.connection.getClient().db(db.name)
  const collections: Collections = {
    ops: native.collection<OpRecord>('chain_ops'),
    txs: native.collection<TxRecord>('chain_txs'),
    leases: native.collection<LeaseRecord>('chain_leases'),
    cursors: native.collection<CursorRecord>('chain_cursors'),
    events: native.collection<EventRecord>('chain_events'),
    wallets: native.collection<WalletRecord>('custody_wallets'),
    seeds: native.collection<SeedRecord>('custody_seeds'),
  }
  // Partial indexes: a record costs an index entry only while a query needs it.
  await collections.ops.createIndex({ lane: 1, order: 1 }, { name: 'queue', partialFilterExpression: { state: 'QUEUED' } })
  await collections.ops.createIndex({ order: -1 }, { name: 'recent' })
  await collections.ops.createIndex({ aggregateKey: 1 }, { name: 'aggregate' })
  await collections.ops.createIndex({ lane: 1, state: 1 }, { name: 'found', partialFilterExpression: { 'result.already': true } })
  await collections.txs.createIndex({ liveOps: 1 }, { name: 'one_live_tx', unique: true, partialFilterExpression: { liveOps: { $exists: true } } })
  await collections.txs.createIndex({ lane: 1, nonce: -1 }, { name: 'slots' })
  await collections.txs.createIndex({ lane: 1, nonce: 1 }, { name: 'unfinished', partialFilterExpression: { unfinished: true } })
  // what was final in blocks that the node reports as dropped
  await collections.txs.createIndex({ 'block.hash': 1 }, { name: 'final_block', partialFilterExpression: { state: 'FINAL' } })
  await collections.events.createIndex({ network: 1, final: 1, blockNumber: 1 }, { name: 'unfinished' })
  await collections.events.createIndex({ network: 1 }, { name: 'doubted', partialFilterExpression: { doubts: { $exists: true } } })
  await collections.wallets.createIndex({ n: 1 }, { name: 'n', unique: true })
  await collections.wallets.createIndex({ address: 1 }, { name: 'address', unique: true })
  return collections
}
