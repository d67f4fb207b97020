import type { CloudEvent } from '@carapace/api'
import { Retry } from '@carapace/bus'
import type { Fact } from './facts.ts'
import type { Parts } from './parts.ts'
import { takeOver } from './score.store.ts'
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
  const facts = await parts.audit.factsOf([agentId, ...doc.sources])
  const after = standingAt(
    [...facts, { ...fact, at }].sort((a, b) => a.at.getTime() - b.at.getTime()),
    now,
  )
  const scores = { before: doc.fusedScore, after: after.fusedScore }
  await parts.audit.append(
    { agentId, fact, key: given.key ?? fact.type, eventId: event.id, source: event.source.split('/').at(-1) ?? '', txHash: given.txHash ?? null, at },
    scores,
  )
  await recompute(parts, agentId)
  return scores
}

/** Brings a standing in line with the log and the present moment. */
export async function recompute(parts: Parts, agentId: string): Promise<void> {
  const doc = await parts.scores.get(agentId)
  if (!doc) return
  const now = parts.clock.now()
  const standing = standingAt(await parts.audit.factsOf([agentId, ...doc.sources]), now)
  await parts.scores.change(agentId, present => takeOver(present, standing, now))
}
