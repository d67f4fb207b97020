import { Retry } from '@carapace/bus'
import { transact } from '@carapace/store'
import { account, transfer } from '../ledger.ts'
import type { Parts } from '../parts.ts'

/**
 * The pool has the fee of a job as long as its payment exists. While that is reversed the fee is a loss, since it may be spent already; a payment that
 * is made again makes it good. Each correction is booked once, and only where it changes that.
 * @throws Retry until the first payment is booked
 */
export const correctJobFee = (parts: Parts, jobId: string, isPaid: boolean, eventVersion: number): Promise<void> =>
  parts.queue.serialize(`job-fee:${jobId}`, async () => {
    const booked = await parts.ledger.entries({ 'ref.id': jobId })
    const first = booked.find(({ key }) => key === `job-fee:${jobId}`)
    if (!first) throw new Retry(`the fee of job ${jobId} is not booked yet`)
    const lines = booked.flatMap(entry => entry.lines).filter(line => line.account === account.poolLoss)
    const lost = lines.reduce((sum, { debit, credit }) => sum + debit - credit, 0n)
    if (isPaid === (lost === 0n)) return
    const fee = first.lines.reduce((sum, { credit }) => sum + credit, 0n)
    const own = account.clearing(`job.settle:${jobId}`)
    const moved = isPaid ? transfer(own, account.poolLoss, fee) : transfer(account.poolLoss, own, fee)
    const entry = { key: `job-fee:${jobId}:${eventVersion}`, chain: first.chain, ref: { type: 'job', id: jobId }, lines: moved }
    await transact(parts, session => parts.ledger.post(entry, session))
  })
