import type { Chain } from '@carapace/api'
import type { ClientSession } from 'mongoose'
import type { Posting } from './ledger.ts'
import type { Parts } from './parts.ts'

/** Posts lines that a change of state demands. @throws Error when a key was posted before: the state guard must have made that impossible */
export async function post(
  { ledger, tvl }: Pick<Parts, 'ledger' | 'tvl'>,
  chain: Chain,
  postings: readonly Posting[],
  session: ClientSession,
): Promise<void> {
  for (const { tvl: change, capped = false, ...entry } of postings) {
    if (!(await ledger.post({ ...entry, chain }, session))) throw new Error(`${entry.key} is in the ledger already`)
    if (change) await tvl.add(change, chain, session, capped)
  }
}
