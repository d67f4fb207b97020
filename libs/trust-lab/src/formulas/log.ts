import { dayMs } from '@carapace/api'
import { type Dated, mergedFacts } from '@carapace/formula'
import type { Book } from './book.ts'

/** A score is computed again with each fact, as by the service, and after so long without one: what is old counts less. */
const staleMs = 5 * dayMs

/** What a book computes of one agent by its log. */
export interface Computed {
  score: number
}
interface Entry<C> {
  facts: Dated[]
  computed: C | undefined
  computedAt: number
  hasNews: boolean
}

/** The part of a book that is a log of facts for each agent, and what was last computed of each. */
export function logsOf<C extends Computed>(compute: (agentId: string, facts: readonly Dated[], now: Date) => C) {
  const entries = new Map<string, Entry<C>>()
  const entryOf = (agentId: string) => {
    const found = entries.get(agentId)
    if (found) return found
    const fresh: Entry<C> = { facts: [], computed: undefined, computedAt: 0, hasNews: false }
    entries.set(agentId, fresh)
    return fresh
  }
  const note: Book['note'] = (agentId, fact) => {
    const entry = entryOf(agentId)
    entry.facts.push(fact)
    entry.hasNews = true
  }
  const computed = (agentId: string, now: Date): C => {
    const entry = entryOf(agentId)
    if (entry.computed && !entry.hasNews && now.getTime() - entry.computedAt < staleMs) return entry.computed
    entry.computed = compute(agentId, entry.facts, now)
    entry.computedAt = now.getTime()
    entry.hasNews = false
    return entry.computed
  }
  /** As a migration merges the logs: by the real rule of what is inherited. */
  const inherit: Book['inherit'] = (heirId, sourceId, at) => {
    const logged = (agentId: string) => entryOf(agentId).facts.map(fact => ({ ...fact, agentId }))
    const merged = mergedFacts(heirId, [...logged(sourceId), ...logged(heirId)])
    entries.set(heirId, { facts: merged, computed: undefined, computedAt: 0, hasNews: true })
    note(sourceId, { type: 'migrated', to: heirId, at })
  }
  return { note, computed, inherit, agents: () => entries.keys() }
}
