import { swarmApi } from '@carapace/api'
import { type Job, peerPolls } from '@carapace/service'
import type { Decision } from '@carapace/store'
import type { Gig } from './gig.ts'
import type { Parts } from './parts.ts'

export interface Panel {
  validationId: string
  panel: string[]
  round: number
  appealOf: string | null
}

/** Links the latest validation; its panel may see the deliverable. An older one changes nothing. */
export function linkValidation(gig: Gig, { validationId, panel, round, appealOf }: Panel, version: number): Decision<Gig> | undefined {
  const stage = appealOf === null ? round : 3
  const cached = gig.panelAsOf
  if (cached && (stage < cached.stage || (stage === cached.stage && version <= cached.version))) return undefined
  return { state: { ...gig, validationId, panelIds: panel, panelAsOf: { stage, version } }, events: [] }
}

/** A delivered gig waits for its validation, in a dispute too: the swarm is polled for it, and opens it where the delivery was lost. */
export const panelPolls = (parts: Parts): Job =>
  peerPolls<Gig>(parts, {
    name: 'delivered gigs without a validation',
    records: parts.gigs,
    filter: { status: { $in: ['pending_validation', 'disputed'] }, validationId: null, submissionId: { $gt: '' } },
    since: 'updatedAt',
    poll: gig => poll(parts, gig.id),
  })

async function poll({ peers, gigs }: Parts, gigId: string): Promise<void> {
  const { version, ...found } = await peers.call('swarm', swarmApi.internal.openValidation, { params: { gigId } })
  await gigs.change(gigId, gig => linkValidation(gig, found, version))
}
