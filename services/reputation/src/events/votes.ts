import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { record } from '../record.ts'

/** What the swarm publishes of validations: who was requested, and who voted. Which votes were right the money says (`judge-votes.ts`). */
export function voteEvents(parts: Parts): Subscription[] {
  const recordRequests = async (agentIds: readonly string[], validationId: string, event: api.CloudEvent) => {
    await Promise.all(agentIds.map(agentId => record(parts, event, agentId, { type: 'vote_asked', validationId })))
  }
  return [
    on(api.validationOpened, ({ panel, validationId }, event) => recordRequests(panel, validationId, event)),
    on(api.panelChanged, ({ added, validationId }, event) => recordRequests(added, validationId, event)),
    on(api.validationSuperseded, async ({ panel, votes, validationId, supersededAt }, event) => {
      const voters = new Set(votes.map(({ voterId }) => voterId))
      const excused = panel.filter(agentId => !voters.has(agentId))
      await Promise.all(excused.map(agentId => record(parts, event, agentId, { type: 'vote_excused', validationId }, { at: supersededAt })))
    }),
    on(api.voteRecorded, ({ voterId, validationId, castAt }, event) =>
      record(parts, event, voterId, { type: 'vote_cast', validationId }, { at: castAt }),
    ),
  ]
}
