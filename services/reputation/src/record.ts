import type { CloudEvent } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { type Dated, type Fact, type Logged, mergedFacts } from './facts.ts'
import type { Parts } from './parts.ts'
import { applyStanding, type ScoreDoc } from './score.store.ts'
import { standingAt } from './standing.ts'

/**
 * Appends a fact about an agent to the log and recomputes its standing. A second delivery appends nothing and recomputes the same.
 * @throws Retry while the agent is not known yet
 */
export async function record(
  parts: Parts,
  event: CloudEvent,
  agentId: string,
  fact: Fact,
  given: { at?: string; txHash?: string | null; key?: string } = {},
): Promise<{ before: number; after: number }> {
  const doc = await parts.scores.get(agentId)
  if (!doc) throw new Retry(`agent ${agentId} is not known yet`)
  const now = parts.clock.now()
  const at = new Date(given.at ?? event.time)
  const known = parts.audit.position()
  const log = [...(await logOf(parts, doc)), { ...fact, agentId, at }].sort((a, b) => a.at.getTime() - b.at.getTime())
  const facts = mergedFacts(agentId, log)
  const after = standingAt(facts, now)
  const scores = { before: doc.fusedScore, after: after.fusedScore }
  const position = await parts.audit.append(
    { agentId, fact, key: given.key ?? fact.type, eventId: event.id, source: event.source.split('/').at(-1) ?? '', txHash: given.txHash ?? null, at },
    scores,
  )
  // the log that was read is the whole log when nobody appended to it since, and it says nothing new where the standing is the stored one
  const isWhole = position !== undefined && known !== undefined && position === known + 1
  const isNews = applyStanding(doc, after, now) !== undefined || facts.some(({ type }) => type === 'migrated')
  // a standing that was stored since the document was read may lack this fact; one that is stored later is compared with the log again
  const isPresent = (await parts.scores.get(agentId))?.version === doc.version
  if (!isWhole || isNews || !isPresent) await recompute(parts, agentId)
  return scores
}

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
      return isOld ? undefined : applyStanding(present, standing, now)
    })
    // a fact that changed nothing when it came left no version
    done = !isOld && (await logOf(parts, after)).length === log.length
  }
  const migrated = facts.find(fact => fact.type === 'migrated')
  if (migrated) await recompute(parts, migrated.to, [...earlier, agentId])
}

/** Everything that counts for an agent: its own log and the logs of all it inherited from, however many migrations lie between. */
async function logOf(parts: Parts, doc: ScoreDoc): Promise<Logged[]> {
  const ids = new Set([doc.id, ...doc.sources])
  // a set goes on with what is added to it under way
  for (const id of ids) if (id !== doc.id) for (const source of (await parts.scores.get(id))?.sources ?? []) ids.add(source)
  return parts.audit.factsOf([...ids])
}
