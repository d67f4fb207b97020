import type { AggregateStore, Clock, Stored } from '@carapace/store'
import { endlessWalk } from '../jobs/endless-walk.ts'
import type { Extent } from './examination.ts'

/** The records of a collection as a check reads them that is made again and again. */
export interface CheckedRecords<T extends { id: string }> {
  /** In pages: all of them, or what has changed lately, what was wrong, and a slice of the others, round after round. */
  pages(extent: Extent): AsyncIterable<Stored<T>[]>
  get(id: string): Promise<Stored<T> | undefined>
  /** What the check says of a record: a wrong one is read each time until it is right. */
  note(id: string, isWrong: boolean): void
}

type Read<T> = Pick<AggregateStore<T>, 'find' | 'many' | 'get'>
interface Options {
  /** Which ones matter, of those that have changed. Pages by id have others, too: with a filter each of them may be a search through all. */
  filter?: Record<string, unknown>
  pageSize?: number
}

/** More than there is between two runs: a record may be stored a little after the time that it has. */
const changedWithinMs = 5 * 60_000

/**
 * However many records there are, a run reads those of the last minutes and one slice, with an index on `updatedAt`, after the fields of the filter.
 * @example const bonds = checkedRecords(bondStore, clock); for await (const page of bonds.pages('news')) …
 */
export function checkedRecords<T extends { id: string }>(
  store: Read<T>,
  clock: Clock,
  { filter = {}, pageSize = 500 }: Options = {},
): CheckedRecords<T> {
  const wrong = new Set<string>()
  const nextSlice = endlessWalk(store, pageSize)

  async function* all() {
    for (let after = ''; ; ) {
      const page = await store.find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit: pageSize })
      if (page.length > 0) yield page
      if (page.length < pageSize) return
      after = page.at(-1)!.id
    }
  }

  /** In the order of their changes: one that changes meanwhile is met again, and none is left out. */
  async function* changed() {
    let [at, after] = [new Date(clock.now().getTime() - changedWithinMs), '']
    for (;;) {
      const same = await store.find({ ...filter, updatedAt: at, _id: { $gt: after } }, { sort: { _id: 1 }, limit: pageSize })
      const limit = pageSize - same.length
      const later = limit > 0 ? await store.find({ ...filter, updatedAt: { $gt: at } }, { sort: { updatedAt: 1, _id: 1 }, limit }) : []
      const page = [...same, ...later]
      if (page.length > 0) yield page
      if (page.length < pageSize) return
      const last = page.at(-1)!
      at = last.updatedAt
      after = last.id
    }
  }

  async function* news() {
    yield await nextSlice()
    if (wrong.size > 0) yield [...(await store.many([...wrong])).values()]
    yield* changed()
  }

  return {
    pages: extent => (extent === 'whole' ? all() : news()),
    get: id => store.get(id),
    note: (id, isWrong) => {
      if (isWrong) wrong.add(id)
      else wrong.delete(id)
    },
  }
}
