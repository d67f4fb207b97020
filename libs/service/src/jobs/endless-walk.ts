import type { AggregateStore, Stored } from '@carapace/store'

const minuteMs = 60_000

/**
 * The records of a collection in slices by their ids, round after round: each minute has the next one, which is read again whenever it is requested in it.
 * @example const nextWallets = endlessWalk(wallets, 100); for (const wallet of await nextWallets()) …
 */
export function endlessWalk<T extends { id: string }>(
  { find }: Pick<AggregateStore<T>, 'find'>,
  limit: number,
  { filter = {}, now = Date.now }: { filter?: Record<string, unknown>; now?: () => number } = {},
): () => Promise<Stored<T>[]> {
  let minute: number | undefined
  let [after, next] = ['', '']
  return async () => {
    const present = Math.floor(now() / minuteMs)
    if (present !== minute) [minute, after] = [present, next]
    const slice = await find({ ...filter, _id: { $gt: after } }, { sort: { _id: 1 }, limit })
    next = slice.length < limit ? '' : slice.at(-1)!.id
    return slice
  }
}
