import * as api from '@carapace/api'
import { Retry } from '@carapace/bus'
import { eachDue, type Job, on, type Subscription } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { accrue } from './accrue.ts'
import { endPanel, endPanels } from './end-panel.ts'
import { endJobPanels } from './job-panels.ts'
import type { GigOutcome } from './supersede.ts'
import type { Validation } from './validation.ts'

const batch = 100
const everyMs = 60_000
const passEveryMs = 60 * 60_000

/** What the end of a gig means for its validations: rewards for a verdict, and the end of a panel that still judges. */
export const decisions = (parts: Parts): Subscription[] => [
  on(api.escrowDecided, async ({ gigId, validationId, outcome }, event) => {
    if (validationId !== null && outcome !== 'unfunded') await accrueKnown(parts, validationId)
    if (outcome === 'hold') return
    // stored first: a validation that is being opened now reads this once it is stored
    await parts.decided.apply(gigId, { outcome }, event)
    await endPanels(parts, { gigId, ...except(validationId) }, outcome)
  }),
  on(api.jobSettled, (job, event) => jobEnded(parts, job, 'release', event)),
  on(api.jobRejected, (job, event) => jobEnded(parts, job, 'refund', event)),
  // paid again after a reorganisation, perhaps by the verdict on another delivery
  on(api.jobCorrected, async ({ status, jobId, validationId = null }, event) => {
    if (status === 'settled') await jobEnded(parts, { jobId, validationId }, 'release', event)
  }),
  // its contract refunded it after the expiry: no decision of the panel has an effect
  on(api.jobCancelled, (job, event) => jobEnded(parts, { ...job, validationId: null }, job.refunded ? 'refund' : 'unfunded', event)),
  on(api.gigCancelled, async ({ gigId, from }) => {
    if (from === 'pending_validation' || from === 'disputed') await supersedeIfDecided(parts, gigId)
  }),
]

type EndedJob = Pick<api.PayloadOf<typeof api.jobSettled>, 'jobId' | 'validationId'>

/**
 * A job that ended by its verdict pays for that verdict; one that ended otherwise ends the panel that still judges it. A reorganisation may lead back from
 * an end, and what is delivered after it has a panel of its own, which this end, received late or again, says nothing about.
 */
async function jobEnded(parts: Parts, { jobId, validationId }: EndedJob, outcome: GigOutcome, event: api.CloudEvent): Promise<void> {
  if (validationId !== null && outcome !== 'unfunded') await accrueKnown(parts, validationId)
  const jobVersion = event.aggregateversion
  await parts.decided.apply(jobId, { outcome, jobVersion }, event)
  await endPanels(parts, { jobId, jobVersion: { $not: { $gt: jobVersion } }, ...except(validationId) }, outcome)
}

/** That one ended, and its rewards have accrued. */
const except = (validationId: string | null) => (validationId === null ? {} : { _id: { $ne: validationId } })

/** The rewards of the validation that a decision names. */
async function accrueKnown(parts: Parts, validationId: string): Promise<void> {
  const validation = await parts.validations.get(validationId)
  if (!validation) throw new Retry('the validation is not known yet')
  await accrue(parts, validation)
}

/**
 * For a validation that has just been stored: its gig or job may have been decided in the same moment.
 * @param undecidedAt moment of a read that found no decision
 */
export async function supersedeIfKnown(
  parts: Parts,
  { id, gigId, jobId, jobVersion = 0 }: Pick<Stored<Validation>, 'id' | 'gigId' | 'jobId' | 'jobVersion'>,
  undecidedAt?: number,
): Promise<void> {
  const subject = gigId ?? jobId!
  if (undecidedAt !== undefined && !parts.decided.mayBeDecided(subject, undecidedAt)) return
  const earlier = await parts.decided.get(subject)
  if (earlier && (earlier.jobVersion ?? jobVersion) >= jobVersion) await endPanel(parts, id, earlier.outcome)
}

const outcomes: Partial<Record<api.EscrowStatus, GigOutcome>> = {
  releasing: 'release',
  released: 'release',
  refunding: 'refund',
  refunded: 'refund',
  unfunded: 'unfunded',
}

/** Queries the escrow, which alone decides, whether the gig has ended. */
async function supersedeIfDecided(parts: Parts, gigId: string): Promise<void> {
  const escrow = await parts.peers.find('escrow', api.escrowApi.internal.getEscrowRow, { params: { gigId } })
  const outcome = escrow && outcomes[escrow.status]
  if (outcome) await endPanels(parts, { gigId }, outcome)
}

/** Goes round all pending validations, a few at a time: one whose gig or job was decided without a message is found on the way. */
export function decidedSweep(parts: Parts): Job {
  let after = ''
  let nextPassAt: Date | undefined
  return {
    name: 'validations of decided gigs',
    everyMs,
    run: async now => {
      if (nextPassAt && now < nextPassAt) return
      const page = await parts.validations.find({ status: 'pending', _id: { $gt: after } }, { sort: { _id: 1 }, limit: batch })
      await eachDue(parts.log, page, ({ gigId, jobId }) => (gigId === null ? endJobPanels(parts, jobId!) : supersedeIfDecided(parts, gigId)))
      after = page.length < batch ? '' : page.at(-1)!.id
      nextPassAt = after === '' ? new Date(now.getTime() + passEveryMs) : undefined
    },
  }
}
