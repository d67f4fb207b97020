import type { AggregateStore, Database } from '@carapace/store'

/** When there is work for a job, so that it runs then and does not search each time. */
export interface Due {
  /** The collection whose writes may change that. */
  collection: string
  /** When the next record is due, platform clock; undefined: none. */
  nextAt(): Promise<Date | undefined>
}

type Rows = Pick<AggregateStore<{ id: string }>, 'collection'>

/**
 * Due is the record with the smallest time in an indexed field.
 * @param options `filter` which records count; `afterMs` how long after that time a record is due; `later` only records with a later time
 * @example { name: 'expiry of gigs', everyMs, due: dueBy(gigs, 'dueAt'), run }
 */
export function dueBy(
  { collection }: Rows,
  field: string,
  { filter = {}, afterMs = 0, later = new Date(0) }: { filter?: object; afterMs?: number; later?: Date } = {},
): Due {
  return {
    collection: collection.collectionName,
    nextAt: async () => {
      const wanted = { ...filter, [field]: { $gt: later } }
      const [first] = await collection.find(wanted, { projection: { [field]: 1 }, sort: { [field]: 1 }, limit: 1 }).toArray()
      const at = field.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], first)
      return at instanceof Date ? new Date(at.getTime() + afterMs) : undefined
    },
  }
}

/** Whether a job has something to do. */
export interface Gate {
  isOpen(now: Date): Promise<boolean>
  /** The next question reads the database. */
  forget(): void
  close(): void
}

/** What another process writes is found after so long at the latest; in a database without one, what was written past the stores. */
const [sharedMs, soleMs] = [10_000, 300_000]

/** Reads again when something was due or a record of the collection was saved, and now and then. */
export function gateOf({ collection, nextAt }: Due, { db, exclusive }: { db: Pick<Database, 'changes'>; exclusive: boolean }): Gate {
  let isKnown = false
  let next: Date | undefined
  let readUntil = 0
  const onSaved = (saved: string) => {
    if (saved === collection) isKnown = false
  }
  db.changes.on('saved', onSaved)
  return {
    isOpen: async now => {
      if (!isKnown || performance.now() >= readUntil) {
        isKnown = true
        readUntil = performance.now() + (exclusive ? soleMs : sharedMs) * (0.75 + Math.random() / 2)
        try {
          next = await nextAt()
        } catch (error) {
          isKnown = false
          throw error
        }
      }
      const isDue = next !== undefined && next <= now
      if (isDue) isKnown = false
      return isDue
    },
    forget: () => {
      isKnown = false
    },
    close: () => db.changes.off('saved', onSaved),
  }
}
