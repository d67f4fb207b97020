import type { LiveRow, LiveStore } from './live.store.ts'

/** The newest rows, read once for all readers of this process. */
export interface Tail {
  /** Everything up to here is in the database, and after `floor` here too. */
  last(): number
  /** What came after a place; undefined when that is further back than what is here. */
  since(place: number): readonly LiveRow[] | undefined
  /** Resolves when there is more, when the signal ends, or after a while at most. */
  more(signal: AbortSignal): Promise<void>
  /** Follows the collection until the last one that follows has left. Call what it resolves to to leave. */
  follow(): Promise<() => void>
}

export interface Pace {
  /** Readers are woken so often to say that they are there. */
  wakeMs: number
  /** How often rows of other replicas are polled. */
  pollMs: number
}

const mostRows = 1_000
const pageSize = 500

/**
 * @param isAlone no other process stores events: nothing is polled
 * @param onNew gets each new row while anybody follows, before they do
 */
export function openTail(store: LiveStore, isAlone: boolean, { wakeMs, pollMs }: Pace, onNew: (row: LiveRow) => void): Tail {
  let rows: LiveRow[] = []
  let [floor, last] = [0, 0]
  let followers = 0
  let begun: Promise<void> | undefined
  let reading: Promise<void> | undefined
  let isStale = false
  const timers = new Set<NodeJS.Timeout>()
  const waiting = new Set<() => void>()

  const wakeAll = () => {
    for (const wake of [...waiting]) wake()
  }
  const append = (more: readonly LiveRow[]) => {
    const fresh = more.filter(({ _id }) => _id > last)
    if (fresh.length === 0) return
    rows.push(...fresh)
    last = rows.at(-1)!._id
    fresh.forEach(onNew)
    if (rows.length > mostRows) floor = rows.splice(0, rows.length - mostRows).at(-1)!._id
    wakeAll()
  }
  const readOn = async () => {
    do {
      isStale = false
      let page: LiveRow[]
      do {
        page = await store.between(last, Number.MAX_SAFE_INTEGER, {}, pageSize)
        append(page)
      } while (page.length === pageSize)
    } while (isStale)
  }
  /** One read at a time; what is announced meanwhile is read after it. A read that fails is tried again by the next poll or row. */
  const advance = () => {
    isStale = true
    reading ??= readOn()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const onRows = (stored: readonly LiveRow[]) => {
    if (!reading && stored[0]?._id === last + 1) append(stored)
    else void advance()
  }
  const begin = async () => {
    floor = last = await store.newest()
    rows = []
    store.added.on('rows', onRows)
    timers.add(setInterval(wakeAll, wakeMs))
    if (!isAlone) timers.add(setInterval(() => void advance(), pollMs))
    // what was stored while the newest place was read
    await advance()
  }
  const end = () => {
    store.added.off('rows', onRows)
    for (const timer of timers) clearInterval(timer)
    timers.clear()
    rows = []
    begun = undefined
  }
  const leave = () => {
    followers--
    if (followers === 0) end()
  }

  return {
    last: () => last,
    since: place => {
      if (place < floor) return undefined
      let at = rows.length
      while (at > 0 && rows[at - 1]!._id > place) at--
      return rows.slice(at)
    },
    more: signal =>
      new Promise(resolve => {
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        if (signal.aborted) wake()
        else signal.addEventListener('abort', wake)
      }),
    follow: async () => {
      followers++
      begun ??= begin()
      try {
        await begun
      } catch (error) {
        begun = undefined
        leave()
        throw error
      }
      return leave
    },
  }
}
