import { micro } from '../testing/job.ts'
import { persist } from './persist.ts'
import type { Stage } from './pieces.ts'
import { newTortureJob } from './torture-job.ts'

/** The ways out of a commerce job that no clock is needed for. */
export const jobEnds = ['settled', 'rejected', 'settled after a dispute', 'rejected after a dispute', 'cancelled'] as const
export type JobEnd = (typeof jobEnds)[number]

/** A commerce job from its draft to its end, all of it while things go wrong. */
export async function endedJob(stage: Stage, end: JobEnd): Promise<void> {
  const { system, participants, deadline, sums } = stage
  const { jobId, budget, act, reach, ...job } = await newTortureJob(stage, 48)
  if (end === 'cancelled') {
    await reach('cancelled', () => act('cancel', {}, participants.poster.headers))
    return
  }
  await job.fund()
  await job.assign()
  await job.deliver()
  if (end.endsWith('dispute')) await job.dispute()
  const isPaid = end.startsWith('settled')
  await reach(isPaid ? 'settled' : 'rejected', () => act('settle', { outcome: isPaid ? 'settle' : 'reject' }, system.admin))
  if (!isPaid) return
  const receipt = await persist('its receipt exists', deadline, () => system.get(`/api/commerce/jobs/${jobId}/receipt`))
  if (micro(receipt.netPaid) + micro(receipt.fee) !== micro(budget)) throw new Error(`receipt of job ${jobId} does not add up`)
  sums.paidByPoster += micro(budget)
  sums.earnedByWorker += micro(receipt.netPaid)
}
