import { commerceApi, feeOf, type jobRejected, type jobSettled, type PayloadOf } from '@carapace/api'
import { projectEscrow } from '../escrow/change-escrow.ts'
import type { Parts } from '../parts.ts'
import { bookJobFee } from './book-job-fee.ts'
import { fundWhenReady } from './fund-reward.ts'
import type { Reward, Source } from './reward.ts'
import { sourceOf } from './reward-source.ts'

const jobFeeBp = 300

/** Records how a gig or job ended for the money, and funds the rewards that waited for it. */
export async function recordSource(parts: Parts, source: Omit<Source, 'used'>): Promise<void> {
  const stored = await parts.rewardSources.put(source)
  for (const reward of await parts.rewards.ofSubject(source.id)) await fundWhenReady(parts, reward, stored)
}

export const recordGigSource = (parts: Parts, gigId: string): Promise<void> =>
  projectEscrow(parts, gigId, async escrow => {
    const source = sourceOf(escrow)
    if (source) await recordSource(parts, source)
  })

/** The commerce contract pays its fee into the pool of the escrow. */
export async function recordPaidJob(
  parts: Parts,
  paid: Pick<PayloadOf<typeof jobSettled>, 'jobId' | 'posterId' | 'chain' | 'fee' | 'txHash' | 'at'>,
): Promise<void> {
  const { jobId: id, posterId, chain, fee, at } = paid
  await bookJobFee(parts, paid)
  await recordSource(parts, { id, posterId, chain, kind: 'fee', fee, endedAt: new Date(at) })
}

export const recordRefundedJob = (
  parts: Parts,
  { jobId: id, posterId, chain, budget, at }: Pick<PayloadOf<typeof jobRejected>, 'jobId' | 'posterId' | 'chain' | 'budget' | 'at'>,
): Promise<void> => recordSource(parts, { id, posterId, chain, kind: 'refund', fee: feeOf(budget, jobFeeBp), endedAt: new Date(at) })

/**
 * For rewards that nothing has funded: the end of their gig or job is read from its owner, since the event of it may be lost.
 * @returns whether it ended without money, of which there is no event
 */
export async function readSource(parts: Parts, { gigId, jobId }: Pick<Reward, 'gigId' | 'jobId'>): Promise<boolean> {
  if (gigId !== null) {
    const escrow = await parts.escrows.get(gigId)
    if (escrow) await recordGigSource(parts, gigId)
    return escrow?.status === 'unfunded'
  }
  const job = await parts.peers.find('commerce', commerceApi.internal.getJobRow, { params: { id: jobId! } })
  if (!job?.ended || job.posterId === null) return false
  const budget = BigInt(job.budget)
  const facts = { jobId: job.jobId, posterId: job.posterId, chain: job.chain, budget, ...job.ended }
  await (job.status === 'settled' ? recordPaidJob(parts, { ...facts, fee: feeOf(budget, jobFeeBp) }) : recordRefundedJob(parts, facts))
  return false
}
