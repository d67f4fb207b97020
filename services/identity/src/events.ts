import * as api from '@carapace/api'
import { commands } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import { agentsCollection, changed } from './agent.ts'
import { beat } from './heartbeat/heartbeat.ts'
import type { Parts } from './parts.ts'
import { chainOutcomes } from './registration/chain-outcomes.ts'
import { paidWork } from './skills/paid-work.ts'
import { standingEvents } from './standing.ts'

export const events = (parts: Parts): Subscription[] => {
  const { agents, db, clock } = parts
  /** Work counts as a heartbeat (behaviour 17.9). */
  const seen = async (agentId: string, eventId: string) => {
    await agents.changeKnown(agentId, agent => beat(agent, {}, clock.now()), { cause: eventId })
  }
  return [
    ...standingEvents(db, agentsCollection),
    ...chainOutcomes(parts),
    ...paidWork(parts),
    on(api.applicationCreated, ({ applicantId }, event) => seen(applicantId, event.id)),
    on(api.gigSubmitted, ({ assigneeId }, event) => seen(assigneeId, event.id)),
    on(api.gigCommented, ({ authorId }, event) => seen(authorId, event.id)),
    on(api.voteRecorded, ({ voterId }, event) => seen(voterId, event.id)),
    on(api.agentFollowed, ({ followerAgentId }, event) => seen(followerAgentId, event.id)),
    on(api.agentCommented, ({ authorId }, event) => seen(authorId, event.id)),
    on(api.jobApplied, ({ applicantId }, event) => seen(applicantId, event.id)),
    on(api.jobSubmitted, ({ assigneeId }, event) => seen(assigneeId, event.id)),
    on(api.tierChanged, async ({ agentId }, event) => {
      // notifies readers of the card that its picture and traits have changed
      await agents.changeKnown(agentId, agent => refreshCard(agent, event.aggregateversion), { cause: event.id })
    }),
  ]
}

function refreshCard(agent: Parameters<typeof changed>[0], version: number) {
  const { preferredChain: chain, cardTokenId, id } = agent
  if (agent.chains[chain].card.onChain?.status !== 'confirmed' || version < 1) return undefined
  return changed(agent, {}, [commands.cardUpdate({ chain, agentId: id, version, tokenId: BigInt(cardTokenId) })])
}
