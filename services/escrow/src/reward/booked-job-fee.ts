import type { Chain } from '@carapace/api'
import type { Ledger, LedgerEntry } from '@carapace/store'
import { sum } from '../amounts.ts'
import { account } from '../ledger.ts'
import type { JobFee } from './job-fee.ts'

/** The fee of a job as its entries have it: earlier releases, which may still run, book it without a record. Undefined where there is no entry. */
export async function bookedJobFee(ledger: Pick<Ledger, 'entries'>, id: string): Promise<JobFee | undefined> {
  const entries = await ledger.entries({ 'ref.id': id })
  const key = `job-fee:${id}`
  const first = entries.find(entry => entry.key === key)
  if (!first) return undefined
  const corrections = entries.filter(entry => entry.key.startsWith(`${key}:`))
  const versions = corrections.map(entry => Number(entry.key.slice(key.length + 1)))
  return {
    id,
    chain: first.chain as Chain,
    amount: sum(first.lines.map(({ credit }) => credit)),
    txHash: first.txHash ?? null,
    isPaid: sum(corrections.map(lossIn)) === 0n,
    correctedBy: versions.length ? Math.max(...versions) : null,
  }
}

const lossIn = ({ lines }: LedgerEntry): bigint =>
  sum(lines.filter(line => line.account === account.poolLoss).map(({ debit, credit }) => debit - credit))
