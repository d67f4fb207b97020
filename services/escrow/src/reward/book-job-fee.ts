import type { jobSettled, PayloadOf } from '@carapace/api'
import { Retry } from '@carapace/bus'
import type { Parts } from '../parts.ts'
import { bookedJobFee } from './booked-job-fee.ts'
import { correctedFee, isBooked, paidFee } from './job-fee.ts'

/** Books the first payment of a fee, once. */
export async function bookJobFee(
  { jobFees, ledger }: Parts,
  { jobId: id, chain, fee: amount, txHash }: Pick<PayloadOf<typeof jobSettled>, 'jobId' | 'chain' | 'fee' | 'txHash'>,
): Promise<void> {
  const due = { id, chain, amount, txHash, isPaid: false, correctedBy: null }
  await jobFees.createOnce(id, async () => ({ state: (await bookedJobFee(ledger, id)) ?? due, events: [] }))
  await jobFees.change(id, paidFee)
}

/**
 * The pool has the fee of a job as long as its payment exists. While that is reversed the fee is a loss, since it may be spent already; a payment that
 * is made again makes it good.
 * @returns whether no later correction is known
 * @throws Retry until the first payment is booked
 */
export async function correctJobFee({ jobFees, ledger }: Parts, jobId: string, isPaid: boolean, eventVersion: number): Promise<boolean> {
  const fee = (await jobFees.get(jobId)) ?? (await bookedJobFee(ledger, jobId))
  if (!fee || !isBooked(fee)) throw new Retry(`the fee of job ${jobId} is not booked yet`)
  await jobFees.createOnce(jobId, () => ({ state: fee, events: [] }))
  const { correctedBy } = await jobFees.change(jobId, present => correctedFee(present, isPaid, eventVersion))
  return correctedBy === eventVersion
}
