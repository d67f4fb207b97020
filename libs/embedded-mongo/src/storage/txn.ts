import { failConflict } from '../values/errors.ts'
import type { Catalog, Collection } from './catalog.ts'
import type { Storage } from './storage.ts'
import type { Change, View } from './store-view.ts'
import type { Snapshot } from './table.ts'

/** An open multi-document transaction: a snapshot of the store, its own changes over it, and the keys that it holds locked. */
export interface Txn {
  sessionId: string
  number: number
  startedAt: number
  snapshot: Snapshot
  changes: Map<number, Map<string, Change>>
  /** Entries of unique indexes that the changes occupy (the document's key) or release (undefined). */
  uniques: Map<string, Buffer | undefined>
  locks: Set<string>
  /** Collections that nobody else sees before the commit. */
  created: Set<Collection>
  /** Collections whose record the commit must write again. */
  flagged: Set<Collection>
  state: 'open' | 'committing' | 'committed' | 'aborted'
  /** Resolves when the transaction is over and its locks are free. */
  ended: Promise<void>
  resolveEnded: () => void
}

/** Thrown to a write outside transactions that met a lock: it waits for the transaction's end and continues. */
export class Blocked extends Error {
  readonly txn: Txn

  constructor(txn: Txn) {
    super('waiting for the end of a transaction')
    this.txn = txn
  }
}

/** Who holds which document and which unique value, by the key in the store. */
export type Locks = Map<string, Txn>

export const docLock = (key: Buffer): string => `d${key.toString('latin1')}`
export const uniqueLock = (key: Buffer): string => `u${key.toString('latin1')}`

/** Opens a transaction on the newest committed state. */
export function beginTxn(storage: Storage, sessionId: string, number: number, now: number): Txn {
  let resolveEnded = () => {}
  const ended = new Promise<void>(resolve => {
    resolveEnded = resolve
  })
  return {
    sessionId,
    number,
    startedAt: now,
    snapshot: storage.snapshot(),
    changes: new Map(),
    uniques: new Map(),
    locks: new Set(),
    created: new Set(),
    flagged: new Set(),
    state: 'open',
    ended,
    resolveEnded,
  }
}

export function viewOf(storage: Storage, txn: Txn | undefined): View {
  return txn ? { storage, snapshot: txn.snapshot, changes: collection => txn.changes.get(collection.id) } : { storage }
}

/** Acquires a lock for the transaction, or refuses with 112 when another one holds it. */
export function lock(locks: Locks, txn: Txn, name: string): void {
  const holder = locks.get(name)
  if (holder && holder !== txn) failConflict()
  locks.set(name, txn)
  txn.locks.add(name)
}

/** Ends a transaction: releases its locks and snapshot, and forgets the collections that it created unless it was committed. */
export function endTxn(txn: Txn, locks: Locks, catalog: Catalog, state: 'committed' | 'aborted'): void {
  if (txn.state === 'committed' || txn.state === 'aborted') return
  txn.state = state
  if (state === 'aborted') for (const collection of txn.created) catalog.forget(collection)
  for (const name of txn.locks) locks.delete(name)
  txn.locks.clear()
  txn.changes.clear()
  txn.snapshot.release()
  txn.resolveEnded()
}

/** Refuses when the stored document is no longer the one that the transaction saw. */
export function checkUnchanged(current: Buffer | undefined, seen: Buffer | undefined): void {
  if (current === seen || (current && seen && current.equals(seen))) return
  failConflict()
}
