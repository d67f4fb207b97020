import { transact, transfer } from '@carapace/store'
import { account } from '../ledger.ts'
import type { Parts } from '../parts.ts'

/**
 * Fees of jobs that count for nobody, which earlier versions booked towards a service that never books its side: they have left. Each job once, by the
 * key of the entry.
 */
export async function moveUnbookedFees(parts: Pick<Parts, 'db' | 'jobs' | 'ledger'>): Promise<void> {
  const settled = await parts.jobs.find({ status: 'settled', counts: false })
  for (const { id, chain } of settled) {
    const waiting = account.clearing(`job.settle:${id}`)
    const amount = await parts.ledger.balance(chain, waiting)
    if (amount <= 0n) continue
    const entry = { key: `fee-left:${id}`, chain, ref: { type: 'job', id }, lines: transfer(waiting, account.unbookedFees, amount) }
    await transact(parts, session => parts.ledger.post(entry, session))
  }
}
