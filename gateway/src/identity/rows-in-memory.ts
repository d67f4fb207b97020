import { type Database, type Projection, writtenSince } from '@carapace/store'

type Cached<Row> = Pick<Projection<Row>, 'get' | 'apply'>

const most = 5_000

/**
 * Reads and writes of a projection that remembers the rows it has read, where no other process writes them: each is read again after a write of it.
 * Only for rows on which nobody is refused.
 */
export function rowsInMemory<Row>({ get, apply }: Cached<Row>, db: Pick<Database, 'exclusive'>): Cached<Row> {
  if (!db.exclusive) return { get, apply }
  const rows = new Map<string, Row & { id: string }>()
  const written = writtenSince(db)
  const remember = (row: Row & { id: string }) => {
    rows.set(row.id, row)
    if (rows.size > most) rows.delete(rows.keys().next().value!)
  }
  return {
    get: async id => {
      const cached = rows.get(id)
      if (cached) return cached
      const since = written.moment()
      const row = await get(id)
      if (row && !written.mayBeWritten(id, since)) remember(row)
      return row
    },
    apply: async (...news) => {
      const [id] = news
      rows.delete(id)
      // what was read during the write may be as it was before it
      await written.writing(id, () => apply(...news)).finally(() => rows.delete(id))
    },
  }
}
