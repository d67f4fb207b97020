import { type GigRow, gigPosted, marketplaceApi, marketplaceSnapshot } from '@carapace/api'
import { on, type Platform, type Subscription } from '@carapace/service'
import { projection } from '@carapace/store'

interface Row {
  title: string
}

export interface Gigs {
  subscriptions: Subscription[]
  /** Titles of the gigs that are known here. */
  titles(ids: readonly (string | null)[]): Promise<Map<string, string>>
  /** Whether there is such a gig. @throws DEPENDENCY_UNAVAILABLE */
  exists(id: string): Promise<boolean>
}

export function gigProjection({ db, peers }: Pick<Platform, 'db' | 'peers'>): Gigs {
  const rows = projection<Row>(db, { collection: 'gigs' })
  return {
    subscriptions: [
      on(gigPosted, ({ gigId, gigTitle }, event) => rows.apply(gigId, { title: gigTitle }, event)),
      on(marketplaceSnapshot, ({ kind, id, version, row }, event) =>
        kind === 'gig'
          ? rows.apply(id, { title: (row as unknown as GigRow).gigTitle }, { ...event, subject: id, aggregateversion: version })
          : Promise.resolve(),
      ),
    ],
    titles: async ids => {
      const found = await rows.many([...new Set(ids.filter(id => id !== null))])
      return new Map([...found].map(([id, { title }]) => [id, title]))
    },
    exists: async id =>
      (await rows.get(id)) !== undefined || (await peers.find('marketplace', marketplaceApi.internal.getGigRow, { params: { id } })) !== undefined,
  }
}
