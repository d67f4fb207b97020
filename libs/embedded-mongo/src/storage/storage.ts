import { open, type RootDatabase } from 'lmdb'
import { fail, MongoError } from '../values/errors.ts'
import { claimFolder } from './folder-lock.ts'
import { openTable, type Snapshot, type Table } from './table.ts'

/** What the tables hold: documents by collection and _id, index entries by index and value, the catalog with the retry records, the log of changes. */
export interface Storage {
  readonly docs: Table
  readonly index: Table
  readonly meta: Table
  readonly changes: Table
  /**
   * Runs `change` with exclusive write access; many changes share one commit. Resolves when the commit is on disk.
   * `change` must make all its checks before its first put: what it has put is committed even if it throws.
   */
  write<T>(change: () => T): Promise<T>
  /** Whether the running commit has lasted so long that its changes should go on in a later one: nobody is served while one runs. */
  isLong(): boolean
  snapshot(): Snapshot
  /** Number of the newest snapshot. */
  snapshots(): number
  /** Grows with every put and removal: what was read before may have changed since. */
  version(): number
  /** Called after each commit, before anyone is answered; one that has failed (full disk, for example) has stored nothing of its batch. */
  onCommit(listener: (isStored: boolean) => void): void
  bytes(): number
  close(): Promise<void>
}

const mapBytes = 256 * 1024 ** 3

/** Opens the data folder, made when missing. Throws when another engine holds it or it cannot be written. */
export async function openStorage(path: string): Promise<Storage> {
  const env = openEnvironment(path)
  let version = 0
  let snapshots = 0
  const tableOf = (name: string) => openTable(env, name, () => (version += 1))
  const [docs, index, meta, changes] = [tableOf('docs'), tableOf('index'), tableOf('meta'), tableOf('changes')]
  const releaseFolder = await claimFolder(path, meta, change => env.transaction(change)).catch(async (error: unknown) => {
    await env.close()
    throw error
  })
  const listeners: ((isStored: boolean) => void)[] = []
  const notifyListeners = (isStored: boolean) => {
    for (const listener of listeners) listener(isStored)
  }
  const { inGroup, isLong } = groupCommits(env, () => notifyListeners(true))
  // A commit without a number has failed. This comes before the next batch of changes runs, the rejected promises after it.
  env.on('aftercommit', ({ txnId }: { txnId?: number }) => {
    if (txnId === undefined) notifyListeners(false)
  })
  return {
    docs,
    index,
    meta,
    changes,
    write: inGroup,
    isLong,
    version: () => version,
    snapshot: () => openSnapshot(env, version, ++snapshots),
    snapshots: () => snapshots,
    onCommit: listener => void listeners.push(listener),
    bytes: () => Number((env.getStats() as { mapSize?: number; lastPageNumber?: number }).lastPageNumber ?? 0) * 4096,
    close: async () => {
      await env.transaction(releaseFolder)
      await env.close()
    },
  }
}

function openEnvironment(path: string): RootDatabase<Buffer, Buffer> {
  try {
    return open<Buffer, Buffer>({
      path,
      noSubdir: false,
      maxDbs: 4,
      maxReaders: 1024,
      // With this batching lmdb makes an extra promise per batch, and nobody could catch its rejection when the disk is full.
      eventTurnBatching: false,
      encoding: 'binary',
      keyEncoding: 'binary',
      ...(process.platform === 'win32' ? {} : { mapSize: mapBytes }),
    })
  } catch (error) {
    throw new Error(`cannot open the data folder ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const longestCommitMs = 20

interface Waiting {
  change: () => unknown
  resolve: (result: never) => void
  reject: (reason: unknown) => void
}

/**
 * Runs changes in batches, one commit at a time: what comes in while a commit is on its way to the disk goes into the next one
 * together. Starting commits while others are being flushed would cost more of them, and more processor time for each write.
 */
function groupCommits(env: RootDatabase<Buffer, Buffer>, whenStored: () => void): { inGroup<T>(change: () => T): Promise<T>; isLong(): boolean } {
  let waiting: Waiting[] = []
  let isCommitting = false
  let end = 0
  const isLong = () => Date.now() >= end
  const begin = () => {
    end = Date.now() + longestCommitMs
  }
  const commitNext = async () => {
    isCommitting = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const left = await commit(env, batch, { begin, isLong, whenStored })
      waiting = [...left, ...waiting]
    }
    isCommitting = false
  }
  const inGroup = <T>(change: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.push({ change, resolve, reject })
      if (!isCommitting) void commitNext()
    })
  return { inGroup, isLong }
}

/** Returns the changes that had no room in the commit. */
async function commit(
  env: RootDatabase<Buffer, Buffer>,
  batch: readonly Waiting[],
  { begin, isLong, whenStored }: { begin(): void; isLong(): boolean; whenStored(): void },
): Promise<readonly Waiting[]> {
  const settle: (() => void)[] = []
  try {
    await env.transaction(() => {
      begin()
      for (const waiting of batch) {
        settle.push(attempt(waiting))
        if (isLong()) break
      }
    })
    whenStored()
    for (const done of settle) done()
  } catch (error) {
    const reason = (await commitFailure(error)) ?? error
    const failed = settle.length > 0 ? settle.length : batch.length
    for (const { reject } of batch.slice(0, failed)) reject(reason)
    return batch.slice(failed)
  }
  return batch.slice(settle.length)
}

/** Runs one change of a batch; its promise settles only when the commit is on disk. */
function attempt({ change, resolve, reject }: Waiting): () => void {
  try {
    const result = change() as never
    return () => resolve(result)
  } catch (error) {
    return () => reject(error)
  }
}

/** LMDB reports the reason of a failed commit in a promise of its own. */
async function commitFailure(error: unknown): Promise<MongoError | undefined> {
  if (!(error instanceof Error) || !('commitError' in error)) return undefined
  const reason = await Promise.resolve(error.commitError).catch((cause: unknown) => cause)
  const text = reason instanceof Error ? reason.message : String(reason)
  // A write that is cut short because the disk has just filled up is reported as an input/output error.
  const isFull = /no space|file too large|map_full|quota|input\/output/i.test(text)
  return isFull
    ? new MongoError(14031, `The write could not be stored, the disk may be full: ${text}`)
    : new MongoError(8, `The write could not be stored: ${text}`)
}

function openSnapshot(env: RootDatabase<Buffer, Buffer>, version: number, number: number): Snapshot {
  env.resetReadTxn()
  const transaction = env.useReadTransaction()
  let isHeld = true
  return {
    get transaction() {
      return isHeld ? transaction : fail(239, 'The snapshot of this read is no longer there')
    },
    version,
    number,
    release: () => {
      if (isHeld) transaction.done()
      isHeld = false
    },
  }
}
