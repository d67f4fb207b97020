import assert from 'node:assert/strict'
import { start } from '../testing/facts.ts'
import { bookedJobFee } from './booked-job-fee.ts'
import type { JobFee } from './job-fee.ts'
import { jobFeePostings } from './postings.ts'

const due: JobFee = { id: 'job', chain: 'BASE_SEPOLIA', amount: 7n, txHash: '0xab', isPaid: false, correctedBy: null }
const steps: JobFee[] = [
  { ...due, isPaid: true },
  { ...due, correctedBy: 3 },
  { ...due, isPaid: true, correctedBy: 4 },
]

describe('the fee of a job that an earlier release has booked', () => {
  for (const booked of [1, 2, 3])
    it(`is what its ${booked} entries say`, async () => {
      const entries = steps
        .slice(0, booked)
        .flatMap((fee, index) => jobFeePostings(steps[index - 1] ?? due, fee).map(posting => ({ ...posting, chain: due.chain, at: start })))
      const other = { ...entries[0]!, key: 'reward-funded:v' }
      const ledger = { entries: async (filter: Record<string, unknown>) => (filter['ref.id'] === 'job' ? [...entries, other] : []) }

      assert.deepEqual(await bookedJobFee(ledger, 'job'), steps[booked - 1])
      assert.equal(await bookedJobFee(ledger, 'another'), undefined)
    })
})
