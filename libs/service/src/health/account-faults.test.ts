import assert from 'node:assert/strict'
import { accountFaults } from './account-faults.ts'

describe('the accounts of open records', () => {
  it('hold what the records say, on any network, and nothing without one', async () => {
    const balances = new Map(Object.entries({ 'job:a': 5n, 'job:c': 2n, 'job:d': 7n }))
    const ledger = { open: async () => ({ on: () => balances, all: () => balances }) }
    const open = Object.entries({ a: 5n, c: 3n, e: 1n }).map(([id, amount]) => ({ id, amount }))

    assert.deepEqual(await accountFaults(ledger, 'job', open), [
      'job c should hold 3, its account holds 2',
      'job e should hold 1, its account holds 0',
      'job:d holds 7 although no job is open',
    ])
  })
})
