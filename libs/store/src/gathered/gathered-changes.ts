import type { AggregateStore, Decision } from '../aggregate.ts'
import type { Stored } from '../aggregate-document.ts'
import { gathered } from './gathered.ts'

type Decide<T> = (state: Stored<T>) => Decision<T> | undefined

/**
 * Changes of one document that come in one moment are one write; an unknown document is not changed. Each is decided on what the one before it leaves,
 * and bears to be decided again.
 * @example const follow = gatheredChanges(agents); await follow(id, agent => onCard(agent, outcome))
 */
export function gatheredChanges<T extends { id: string }>(
  store: Pick<AggregateStore<T>, 'changeKnown'>,
): (id: string, decide: Decide<T>) => Promise<void> {
  const change = gathered(async (all: readonly { id: string; decide: Decide<T> }[]) => {
    const ids = [...new Set(all.map(({ id }) => id))]
    await Promise.all(ids.map(id => store.changeKnown(id, decideAll(all.filter(one => one.id === id).map(({ decide }) => decide)))))
    return all.map(() => undefined)
  })
  return (id, decide) => change({ id, decide })
}

const decideAll =
  <T>(decides: readonly Decide<T>[]): Decide<T> =>
  before =>
    decides.reduce<Decision<T> | undefined>((made, decide) => {
      const next = decide(made ? { ...before, ...made.state } : before)
      return next ? { state: next.state, events: [...(made?.events ?? []), ...next.events] } : made
    }, undefined)
