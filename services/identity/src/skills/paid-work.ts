import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { creditGig, discreditGig } from './skill-changes.ts'

/** Gigs and jobs that were paid are evidence of the skills they needed, until their payment is lost. */
export function paidWork({ agents, reversedGigs, clock }: Parts): Subscription[] {
  type Paid = Parameters<typeof creditGig>[1] & { assigneeId: string; creditable: boolean }
  const credit = async ({ assigneeId, creditable, ...gig }: Paid, event: api.CloudEvent) => {
    const since = reversedGigs.moment()
    // where the reversal is known already, crediting first would push an older use out
    if (!creditable || (await reversedGigs.has(gig.gigId))) return
    const credited = await agents.changeKnown(assigneeId, agent => creditGig(agent, gig, clock.now()), { cause: event.id })
    // one that came meanwhile found nothing to discredit
    const isReversed = credited && reversedGigs.mayHaveCome(gig.gigId, since) && (await reversedGigs.has(gig.gigId))
    if (isReversed) await agents.change(assigneeId, agent => discreditGig(agent, gig.gigId))
  }
  const discredit = async (gigId: string, assigneeId: string | null, event: api.CloudEvent) => {
    await reversedGigs.add(gigId)
    if (assigneeId !== null) await agents.changeKnown(assigneeId, agent => discreditGig(agent, gigId), { cause: event.id })
  }
  return [
    on(api.escrowReleased, credit),
    on(api.jobSettled, ({ jobId, requiredSkills, ...job }, event) => credit({ ...job, gigId: jobId, skillsRequired: requiredSkills }, event)),
    on(api.escrowRestated, async (corrected, event) => {
      if (api.paymentCorrection(corrected) === 'lost') await discredit(corrected.gigId, corrected.assigneeId, event)
    }),
    on(api.jobCorrected, async (job, event) => {
      if (api.paymentCorrection(job) === 'lost') await discredit(job.jobId, job.assigneeId, event)
    }),
  ]
}
