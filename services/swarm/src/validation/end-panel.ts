import type { ValidationStatus } from '@carapace/api'
import { type Stored, transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Parts } from '../parts.ts'
import { accrue } from './accrue.ts'
import { type GigOutcome, supersede } from './supersede.ts'
import type { Validation } from './validation.ts'

/** The verdict that is equal to a decision. */
const verdicts: Partial<Record<GigOutcome, ValidationStatus>> = { release: 'approved', refund: 'rejected' }

/** Ends the pending validations of a decided gig, or of deliveries of a decided job; ended ones stay as they are. */
export async function endPanels(
  parts: Parts,
  subject: ({ gigId: string } | { jobId: string; jobVersion: object }) & { _id?: object },
  outcome: GigOutcome,
): Promise<void> {
  const status = { $in: ['pending', verdicts[outcome] ?? 'pending'] }
  for (const { id } of await parts.validations.find({ ...subject, status })) await endPanel(parts, id, outcome)
}

/**
 * Ends one, together with the rewards that its votes have earned. The verdict of one that has ended may have crossed the decision on its way: who decided
 * did not know it and names no winners, so those of an equal verdict are paid from here.
 */
export async function endPanel(parts: Parts, id: string, outcome: GigOutcome): Promise<void> {
  const work = async (session: ClientSession) => {
    let ended: ReturnType<typeof supersede>
    const present = await parts.validations.change(
      id,
      present => {
        ended = supersede(present, outcome, parts.clock.now())
        return ended?.decision
      },
      { session },
    )
    for (const reward of ended?.rewards ?? []) await parts.rewards.rows.create(reward, [], { session })
    return present
  }
  const present = await parts.queue.serialize(id, () => transact(parts, work))
  if (present.status === verdicts[outcome] && (await isOfLastDelivery(parts, present))) await accrue(parts, present)
}

/** The chain may have dropped an earlier delivery of a job: the verdict on it earns nothing. */
async function isOfLastDelivery({ validations }: Parts, { id, jobId }: Stored<Validation>): Promise<boolean> {
  if (jobId === null) return true
  const [last] = await validations.find({ jobId }, { sort: { jobVersion: -1, createdAt: -1 }, limit: 1 })
  return last?.id === id
}
