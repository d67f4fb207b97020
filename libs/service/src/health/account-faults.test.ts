import assert from 'node:assert/strict'
import { accountFaults } from './account-faults.ts'

describe('the accounts of open records', () => {
  it('hold what the records say, on any network, and nothing without one', async () => {
    const balances = { BASE_SEPOLIA: { 'job:a': 5n, 'job:b': 0n, 'job:c': 2n }, SKALE_TESTNET: { 'job:d': 7n } }
    const ledger = { balances: async (chain: string) => new Map(Object.entries(balances[chain as keyof typeof balances])) }
    const open = Object.entries({ a: 5n, c: 3n, e: 1n }).map(([id, amount]) => ({ id, amount }))

    assert.deepEqual(await accountFaults(ledger, 'job', open), [
      'job c should hold 3, its account holds 2',
      'job e should hold 1, its account holds 0',
      'job:d holds 7 although no job is open',
    ])
  })
})
