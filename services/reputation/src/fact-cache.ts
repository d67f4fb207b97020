import type { Logged } from '@carapace/formula'
import type { Database } from '@carapace/store'

/** Whole logs of agents, as this process has read them and appended to them. */
export interface FactCache {
  /** The facts of an agent, in no order; undefined where they have to be read. */
  of(agentId: string): readonly Logged[] | undefined
  /** To be called before a read whose result is `put`. */
  begin(): number
  /** All facts of these agents, unless something was appended since the read began. */
  put(agentIds: readonly string[], log: readonly Logged[], since: number): void
  /** Facts that were appended. */
  appended(facts: readonly Logged[]): void
  /** It is not known what was appended. */
  forget(): void
}

const mostFacts = 20_000

/** The cache of a database to which no other process writes: facts never change, so what was read stays the log, with what was appended. */
export function factCacheOf(db: Database): FactCache | undefined {
  if (!db.exclusive) return undefined
  const cache = caches.get(db) ?? factCache()
  caches.set(db, cache)
  return cache
}
const caches = new WeakMap<Database, FactCache>()

function factCache(): FactCache {
  const logs = new Map<string, Logged[]>()
  let held = 0
  let appends = 0
  const drop = (agentId: string) => {
    held -= logs.get(agentId)?.length ?? 0
    logs.delete(agentId)
  }
  const hold = (agentId: string, log: Logged[]) => {
    drop(agentId)
    if (log.length > mostFacts) return
    logs.set(agentId, log)
    held += log.length
    for (const longest of logs.keys()) {
      if (held <= mostFacts) return
      drop(longest)
    }
  }
  return {
    of: agentId => logs.get(agentId),
    begin: () => appends,
    put: (agentIds, log, since) => {
      if (since !== appends) return
      for (const agentId of agentIds)
        hold(
          agentId,
          log.filter(fact => fact.agentId === agentId),
        )
    },
    appended: facts => {
      appends++
      for (const fact of facts) {
        const log = logs.get(fact.agentId)
        // a read that ended meanwhile may have it
        if (log && !log.some(({ seq }) => seq === fact.seq)) hold(fact.agentId, [...log, fact])
      }
    },
    forget: () => {
      appends++
      logs.clear()
      held = 0
    },
  }
}
