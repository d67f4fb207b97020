import type { Database } from '@carapace/store'

/** The texts of all active agents in memory, brought up to date before each search: a substring is found without reading a document. */
export interface Texts {
  /** Ids of the agents whose text holds this, newest first. */
  holding(text: string): Promise<string[]>
}

interface Row {
  _id: string
  version: number
  status: string
  searchText: string
  createdAt: Date
  updatedAt: Date
}
type Entry = Pick<Row, '_id' | 'searchText' | 'createdAt'>

/** Milliseconds by which a write may become visible later than the time that it carries, between processes. */
const overlapMs = 5_000
const projection = { version: 1, status: 1, searchText: 1, createdAt: 1, updatedAt: 1 } as const
const batchSize = 1_000

export function agentTexts(db: Database, collection: string): Texts {
  /** By id; an agent that is not active keeps its version only, so that an older read does not bring it back. */
  const versions = new Map<string, number>()
  const entries = new Map<string, Entry>()
  let newestFirst: Entry[] | undefined
  let readUpTo: Date | undefined
  let loading: Promise<void> | undefined

  const take = ({ _id, version, status, searchText, createdAt, updatedAt }: Row) => {
    if (!readUpTo || updatedAt > readUpTo) readUpTo = updatedAt
    if ((versions.get(_id) ?? -1) >= version) return
    versions.set(_id, version)
    if (status === 'active' && entries.get(_id)?.searchText === searchText) return
    if (status === 'active') entries.set(_id, { _id, searchText, createdAt })
    else entries.delete(_id)
    newestFirst = undefined
  }
  const read = async (filter: Record<string, unknown>) => {
    for await (const row of db.connection.collection<Row>(collection).find(filter, { projection, sort: { updatedAt: 1 }, batchSize })) take(row)
  }
  const refresh = async () => {
    loading ??= read({}).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    await loading
    if (readUpTo) await read({ updatedAt: { $gte: new Date(readUpTo.getTime() - overlapMs) } })
  }

  return {
    holding: async text => {
      await refresh()
      newestFirst ??= [...entries.values()].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1))
      return newestFirst.filter(({ searchText }) => searchText.includes(text)).map(({ _id }) => _id)
    },
  }
}
