import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Deposit } from './deposit.store.ts'
import { depositStates } from './deposit-states.ts'
import { depositPostings } from './postings.ts'

const never: Deposit = {
  id: 'BASE_SEPOLIA:0xab:1',
  chain: 'BASE_SEPOLIA',
  txHash: '0xab',
  walletId: 'wallet',
  agentId: 'agent',
  to: '0x22',
  from: '0x11',
  amount: 5n,
  source: 'ext:0x11',
  status: 'dropped',
  posting: 0,
  entryKey: 'deposit:BASE_SEPOLIA:0xab:1',
  historyId: null,
}
const credit = (deposit: Deposit): Deposit => ({ ...deposit, status: depositStates.move(deposit.status, 'include'), posting: deposit.posting + 1 })
const drop = (deposit: Deposit): Deposit => ({ ...deposit, status: depositStates.move(deposit.status, 'drop') })

describe('what a deposit posts', () => {
  it('is its amount while it is credited, each key once, after every step of random walks over its table', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 20 }), steps => {
        let [deposit, booked] = [never, 0n]
        const keys = new Set<string>()
        for (const isCredit of steps) {
          const next = isCredit === (deposit.status === 'credited') ? { ...deposit, historyId: 'line' } : isCredit ? credit(deposit) : drop(deposit)
          for (const posting of depositPostings(deposit, next)) {
            assert.ok(!keys.has(posting.key) && keys.add(posting.key), `${posting.key} is posted twice`)
            if ('credit' in posting) booked += posting.credit.amount
            if ('debit' in posting) booked -= posting.debit.amount
          }
          deposit = next
          assert.equal(booked, deposit.status === 'credited' ? deposit.amount : 0n)
        }
      }),
    )
  })

  it('is nothing for one that was dropped before it was ever credited', () => {
    assert.deepEqual(depositPostings(undefined, never), [])
  })

  it('has the key of the first entry once, and a number from the second on', () => {
    const first = credit(never)
    const second = credit(drop(first))
    const keysOf = (before: Deposit | undefined, after: Deposit) => depositPostings(before, after).map(({ key }) => key)

    assert.deepEqual([keysOf(undefined, first), keysOf(never, first)], [[never.entryKey], [never.entryKey]])
    assert.deepEqual(keysOf(first, drop(first)), [`deposit-reversal:${never.id}:1`])
    assert.deepEqual(keysOf(drop(first), second), [`deposit:${never.id}:2`])
  })
})
