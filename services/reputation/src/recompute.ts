import { type Dated, inputsOf, type Logged, marketId, mergedFacts } from '@carapace/formula'
import type { Parts } from './parts.ts'
import { applyStanding, type ScoreDoc } from './score.store.ts'
import { standingAt } from './standing.ts'

/**
 * Computes the standing of an agent, and of those who inherited from it, from the log at the present moment: what a source still earns or loses
 * after its migration counts for the heir. A standing of a log that has grown meanwhile is computed again: the last one to be stored is of the
 * whole log.
 */
export async function recompute(parts: Parts, agentId: string, earlier: readonly string[] = []): Promise<void> {
  if (earlier.includes(agentId)) return
  let facts: readonly Dated[] = []
  for (let done = false; !done; ) {
    const doc = await parts.scores.get(agentId)
    if (!doc) return
    const log = await logOf(parts, doc)
    const now = parts.clock.now()
    facts = mergedFacts(agentId, log)
    const standing = standingAt(facts, now)
    let isOld = false
    const after = await parts.scores.change(agentId, present => {
      isOld = present.version !== doc.version
      return isOld ? undefined : applyStanding(present, standing, now, () => inputsOf(agentId, log))
    })
    // a fact that changed nothing when it came left no version
    done = !isOld && (await logOf(parts, after)).length === log.length
  }
  await recomputeHeir(parts, agentId, facts, earlier)
}

/** The standing of the agent that inherited from this one, if there is one. */
export async function recomputeHeir(parts: Parts, agentId: string, facts: readonly Dated[], earlier: readonly string[] = []): Promise<void> {
  const migrated = facts.find(fact => fact.type === 'migrated')
  if (migrated) await recompute(parts, migrated.to, [...earlier, agentId])
}

/** Everything that counts for an agent: its own log and the logs of all it inherited from, however many migrations lie between. */
async function logOf(parts: Parts, doc: ScoreDoc): Promise<Logged[]> {
  return parts.audit.factsOf(await ownersOf(parts, doc))
}

/** Whose logs count for an agent: its own, those it inherited from, the market's. */
export async function ownersOf(parts: Parts, doc: ScoreDoc): Promise<string[]> {
  const ids = new Set([doc.id, ...doc.sources])
  // a set goes on with what is added to it under way
  for (const id of ids) if (id !== doc.id) for (const source of (await parts.scores.get(id))?.sources ?? []) ids.add(source)
  return [...ids, marketId]
}
