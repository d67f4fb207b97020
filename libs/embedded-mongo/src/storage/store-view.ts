import type { Collection } from './catalog.ts'
import type { Storage } from './storage.ts'
import type { Snapshot } from './table.ts'

/** A document changed by an open transaction, not yet stored. */
export interface Change {
  collection: Collection
  key: Buffer
  /** As it was in the transaction's snapshot; undefined if it did not exist. */
  before: Buffer | undefined
  /** As the transaction leaves it; undefined if it is deleted. */
  after: Buffer | undefined
  /** It replaced the whole document; otherwise it changed fields. */
  isReplacement?: boolean | undefined
}

/** Where a command reads: the newest state, or a snapshot with a transaction's own changes laid over it. */
export interface View {
  storage: Storage
  snapshot?: Snapshot
  changes?: (collection: Collection) => ReadonlyMap<string, Change> | undefined
}
