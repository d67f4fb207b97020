import type { AggregateStore, Stored } from '@carapace/store'

/**
 * The records whose time has come, the earliest first, in pages: each call has the one after the last, and begins again after the end. So what stays due
 * hides nothing that became due after it, and a call reads one page however many there are.
 */
export function pagesBy<T extends { id: string }>(
  { find }: Pick<AggregateStore<T>, 'find'>,
  field: keyof T & string,
  limit: number,
): (now: Date, filter?: Record<string, unknown>) => Promise<Stored<T>[]> {
  let after: Date | undefined
  return async (now, filter = {}) => {
    const time = { ...(after ? { $gt: after } : {}), $lte: now }
    const page = await find({ ...filter, [field]: time }, { sort: { [field]: 1 }, limit })
    after = page.length < limit ? undefined : afterPage(page[0]![field] as Date, page.at(-1)![field] as Date)
    return page
  }
}

/** Others of the same time as the last one may be on the next page. */
const afterPage = (first: Date, last: Date): Date => (first < last ? new Date(last.getTime() - 1) : last)
