import { transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Parts } from '../parts.ts'
import { type GigOutcome, supersede } from './supersede.ts'

/** Ends the pending validations of a decided gig, or of deliveries of a decided job; ended ones stay as they are. */
export async function endPanels(
  parts: Parts,
  subject: { gigId: string } | { jobId: string; jobVersion: object },
  outcome: GigOutcome,
): Promise<void> {
  for (const { id } of await parts.validations.find({ ...subject, status: 'pending' })) await endPanel(parts, id, outcome)
}

/** Ends one, together with the rewards that its votes have earned. */
export async function endPanel(parts: Parts, id: string, outcome: GigOutcome): Promise<void> {
  const work = async (session: ClientSession) => {
    let ended: ReturnType<typeof supersede>
    await parts.validations.change(
      id,
      present => {
        ended = supersede(present, outcome, parts.clock.now())
        return ended?.decision
      },
      { session },
    )
    for (const reward of ended?.rewards ?? []) await parts.rewards.rows.create(reward, [], { session })
  }
  await parts.queue.serialize(id, () => transact(parts, work))
}
