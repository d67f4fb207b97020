import type { AggregateStore } from '../aggregate.ts'
import type { Decision, Stored } from '../aggregate-document.ts'

/** An answer for each item, in their order; an Error is that item's own failure. */
type Run<In, Out> = (items: readonly In[]) => Promise<readonly (Out | Error)[]>

interface Waiting<In, Out> {
  item: In
  resolve(answer: Out): void
  reject(error: unknown): void
}

const shortMs = 5
const mostItems = 100
/** So many wait for no more: a consumer is given 64 messages at a time, and would wait with all of them. */
const manyItems = 32

/**
 * Runs calls of one moment together, so that many events cost one read and one write. Groups run one after another, in the order of the calls. Where
 * a whole group fails, each of its items runs alone: one that cannot be handled fails no other. So `run` must bear to be repeated, as events are.
 * @param waitMs how long the first call waits for others; a later one that waits less ends the wait of all
 * @example const apply = gathered(async (rows: Row[]) => (await write(rows), rows))
 */
export function gathered<In, Out>(run: Run<In, Out>, waitMs: number | ((item: In) => number) = shortMs): (item: In) => Promise<Out> {
  const waitOf = typeof waitMs === 'number' ? () => waitMs : waitMs
  const waiting: Waiting<In, Out>[] = []
  let isRunning = false

  const settle = (group: readonly Waiting<In, Out>[], answers: readonly (Out | Error)[]) => {
    for (const [at, { resolve, reject }] of group.entries()) {
      const answer = answers[at] as Out | Error
      if (answer instanceof Error) reject(answer)
      else resolve(answer)
    }
  }
  const runAlone = async (one: Waiting<In, Out>) => {
    try {
      settle([one], await run([one.item]))
    } catch (error) {
      one.reject(error)
    }
  }
  const runGroup = async (group: readonly Waiting<In, Out>[]) => {
    if (group.length === 1) return runAlone(group[0]!)
    try {
      settle(group, await run(group.map(({ item }) => item)))
    } catch {
      for (const one of group) await runAlone(one)
    }
  }
  let timer: NodeJS.Timeout | undefined
  let endsAt = 0
  const runAll = async () => {
    clearTimeout(timer)
    timer = undefined
    while (waiting.length > 0) await runGroup(waiting.splice(0, mostItems))
    isRunning = false
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      const ownEnd = performance.now() + waitOf(item)
      const isFirst = !isRunning
      isRunning = true
      if (timer && waiting.length >= manyItems) void runAll()
      else if (isFirst || (timer && ownEnd < endsAt)) {
        clearTimeout(timer)
        endsAt = ownEnd
        timer = setTimeout(() => void runAll(), waitOf(item))
      }
    })
}

type Decide<T> = (state: Stored<T>) => Decision<T> | undefined
type Change<T> = { id: string; decide: Decide<T>; waitMs: number | undefined }

/**
 * Changes of one document that come in one moment are one write; an unknown document is not changed. Each is decided on what the one before it leaves,
 * and bears to be decided again.
 * @example const follow = gatheredChanges(agents); await follow(id, agent => onCard(agent, outcome))
 * @returns a change that is given `waitMs` is resolved immediately and written so much later at most, with what follows it until then. It is for what the next
 * change says again: it is lost with the process, and where it cannot be written
 */
export function gatheredChanges<T extends { id: string }>(
  store: Pick<AggregateStore<T>, 'changeKnown'>,
): (id: string, decide: Decide<T>, waitMs?: number) => Promise<void> {
  const change = gathered(
    async (all: readonly Change<T>[]) => {
      const ids = [...new Set(all.map(({ id }) => id))]
      await Promise.all(ids.map(id => store.changeKnown(id, decideAll(all.filter(one => one.id === id).map(({ decide }) => decide)))))
      return all.map(() => undefined)
    },
    ({ waitMs = shortMs }: Change<T>) => waitMs,
  )
  return async (id, decide, waitMs) => {
    const written = change({ id, decide, waitMs })
    if (waitMs === undefined) return written
    written.catch(() => undefined)
  }
}

const decideAll =
  <T>(decides: readonly Decide<T>[]): Decide<T> =>
  before =>
    decides.reduce<Decision<T> | undefined>((made, decide) => {
      const next = decide(made ? { ...before, ...made.state } : before)
      return next ? { state: next.state, events: [...(made?.events ?? []), ...next.events] } : made
    }, undefined)
