import type { Chain } from '@carapace/api'
import type { CheckedRecords, Extent } from '@carapace/service'
import type { Ledger, Stored } from '@carapace/store'

/** What `faults` finds in each of them. */
export async function faultsIn<T extends { id: string }>(
  records: CheckedRecords<T>,
  extent: Extent,
  faults: (row: Stored<T>) => string[] | Promise<string[]>,
): Promise<string[]> {
  const all: string[] = []
  for await (const page of records.pages(extent))
    for (const row of page) {
      const found = await faults(row)
      records.note(row.id, found.length > 0)
      all.push(...found)
    }
  return [...new Set(all)]
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
  records: CheckedRecords<T>,
  extent: Extent,
  ledger: Pick<Ledger, 'balancesOf'>,
  { faults, accountsOf }: Compared<T>,
): Promise<string[]> {
  const faultsOf = async (rows: readonly Stored<T>[]) => {
    const byChain = new Map<Chain, string[]>()
    for (const row of rows) byChain.set(row.chain, [...(byChain.get(row.chain) ?? []), ...accountsOf(row)])
    const read = [...byChain].map(async ([chain, names]) => [chain, await ledger.balancesOf(chain, names)] as const)
    const balances = new Map(await Promise.all(read))
    return rows.map(row => ({ id: row.id, found: faults(row, account => balances.get(row.chain)!.get(account) ?? 0n) }))
  }
  const all: string[] = []
  for await (const page of records.pages(extent))
    for (const { id, found } of await faultsOf(page)) {
      const row = found.length > 0 ? await records.get(id) : undefined
      const confirmed = row ? (await faultsOf([row])).flatMap(again => again.found) : []
      records.note(id, confirmed.length > 0)
      all.push(...confirmed)
    }
  return [...new Set(all)]
}
