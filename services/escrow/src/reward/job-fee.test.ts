import assert from 'node:assert/strict'
import fc from 'fast-check'
import { correctedFee, type JobFee, paidFee } from './job-fee.ts'
import { jobFeePostings } from './postings.ts'

const due: JobFee = { id: 'job', chain: 'BASE_SEPOLIA', amount: 7n, txHash: '0xab', isPaid: false, correctedBy: null }
const paid: JobFee = { ...due, isPaid: true }

/** Accounts as the postings leave them. */
function books() {
  const balances = new Map<string, bigint>()
  const keys = new Set<string>()
  const post = (before: JobFee, after: JobFee) => {
    for (const { key, lines } of jobFeePostings(before, after)) {
      assert.ok(!keys.has(key) && keys.add(key), `${key} is posted twice`)
      for (const { account, debit, credit } of lines) balances.set(account, (balances.get(account) ?? 0n) + credit - debit)
    }
  }
  return { post, of: (name: string) => balances.get(name) ?? 0n }
}

describe('what the fee of a job posts', () => {
  it('is the fee while its payment exists, however often the chain reverses and repeats it', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 20 }), corrections => {
        const { post, of } = books()
        post(due, paid)
        let fee = paid
        corrections.forEach((isPaid, version) => {
          const next = correctedFee(fee, isPaid, version)?.state ?? fee
          post(fee, next)
          fee = next
          const held = fee.isPaid ? fee.amount : 0n
          assert.deepEqual([of('fee-pool'), of('fee-pool') + of('loss:fee-pool'), of('clearing:job.settle:job')], [fee.amount, held, -held])
        })
      }),
    )
  })

  it('is what the latest correction says, in any order of their receipt', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 9 }), { minLength: 1 }), versions => {
        const { post, of } = books()
        const isPaidBy = (version: number) => version % 2 === 1
        post(due, paid)
        let fee = paid
        for (const version of versions) {
          const next = correctedFee(fee, isPaidBy(version), version)?.state ?? fee
          post(fee, next)
          fee = next
        }
        const held = isPaidBy(Math.max(...versions)) ? fee.amount : 0n
        assert.equal(of('fee-pool') + of('loss:fee-pool'), held)
      }),
    )
  })

  it('is nothing for a fee of nothing', () => {
    assert.deepEqual(jobFeePostings({ ...due, amount: 0n }, { ...paid, amount: 0n }), [])
  })

  it('is booked once', () => {
    const lost = correctedFee(paid, false, 1)!.state

    assert.deepEqual([paidFee(due)?.state, paidFee(paid), paidFee(lost)], [paid, undefined, undefined])
  })
})
