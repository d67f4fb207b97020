import type { Chain } from '@carapace/api'
import type { AggregateStore, Ledger, Stored } from '@carapace/store'

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

interface Compared<T> {
  /** What is wrong with a row, by the balances of its accounts. */
  faults(row: Stored<T>, balance: (account: string) => bigint): string[]
  accountsOf(row: Stored<T>): string[]
}

/**
 * What is wrong in rows with accounts of their own. A page of rows and of its accounts is two reads, or three; where a write fell between them, the row and
 * its accounts are read again.
 */
export async function accountFaultsIn<T extends { id: string; chain: Chain }>(
  store: Pick<AggregateStore<T>, 'find' | 'get'>,
  ledger: Pick<Ledger, 'balancesOf'>,
  { faults, accountsOf }: Compared<T>,
): Promise<string[]> {
  const faultsOf = async (rows: readonly Stored<T>[]) => {
    const byChain = new Map<Chain, string[]>()
    for (const row of rows) byChain.set(row.chain, [...(byChain.get(row.chain) ?? []), ...accountsOf(row)])
    const read = [...byChain].map(async ([chain, names]) => [chain, await ledger.balancesOf(chain, names)] as const)
    const balances = new Map(await Promise.all(read))
    return rows
      .map(row => ({ id: row.id, found: faults(row, account => balances.get(row.chain)!.get(account) ?? 0n) }))
      .filter(({ found }) => found.length)
  }
  const all: string[] = []
  for await (const page of pages(store))
    for (const { id } of await faultsOf(page)) {
      const row = await store.get(id)
      if (row) all.push(...(await faultsOf([row])).flatMap(({ found }) => found))
    }
  return all
}
