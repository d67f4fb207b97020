import type { AggregateStore, Stored } from '@carapace/store'

const pageSize = 500

/** All that match, by id, page by page: however many there are, few are held in memory. */
export async function* pages<T extends { id: string }>(
  store: Pick<AggregateStore<T>, 'find'>,
  filter: Record<string, unknown> = {},
): AsyncGenerator<Stored<T>[]> {
  for (let after = ''; ; ) {
    const page = await store.find({ ...filter, _id: { $gt: after } }, { sort: { _id: 1 }, limit: pageSize })
    if (page.length > 0) yield page
    if (page.length < pageSize) return
    after = page.at(-1)!.id
  }
}

/** What `faults` finds in each of them. */
export async function faultsIn<T extends { id: string }>(
  store: Pick<AggregateStore<T>, 'find'>,
  filter: Record<string, unknown>,
  faults: (row: Stored<T>) => string[] | Promise<string[]>,
): Promise<string[]> {
  const found: string[] = []
  for await (const page of pages(store, filter)) for (const row of page) found.push(...(await faults(row)))
  return found
}
