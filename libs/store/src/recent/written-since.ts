import type { Database } from '../database.ts'

/** Ids of one collection that this process has written. */
export interface WrittenSince {
  /** A moment to compare with later: to be called before a read. */
  moment(): number
  /** Whether the id may have been written since. Where another process may write, that is never known. */
  mayBeWritten(id: string, since: number): boolean
  /** Runs a write of the id. */
  writing<T>(id: string, write: () => Promise<T>): Promise<T>
}

const most = 2_000

/**
 * What was read and not found is not there yet as long as nothing was written: in a database with one process that is known without a second read.
 * A write that ends after the question is not known of; its own work finds what the reader has stored by then.
 */
export function writtenSince({ exclusive }: Pick<Database, 'exclusive'>): WrittenSince {
  const writtenAt = new Map<string, number>()
  let moment = 0
  let forgotten = 0
  const note = (id: string) => {
    writtenAt.delete(id)
    writtenAt.set(id, ++moment)
    if (writtenAt.size <= most) return
    const [oldest, at] = writtenAt.entries().next().value!
    writtenAt.delete(oldest)
    forgotten = at
  }
  return {
    moment: () => moment,
    mayBeWritten: (id, since) => !exclusive || since < forgotten || (writtenAt.get(id) ?? 0) > since,
    writing: (id, write) => write().finally(() => note(id)),
  }
}
