import assert from 'node:assert/strict'
import { paymentStatuses } from '@carapace/api'
import { stalledStates } from '@carapace/store'
import { paymentStates } from './payment/payment.ts'
import { states } from './states.ts'

describe('the states of the treasury', () => {
  for (const machine of states) {
    it(`of ${machine.name} reach an end by time alone`, () => {
      assert.deepEqual(stalledStates<string, string, never>(machine as never), [])
    })
  }

  it('of payment are those that clients see', () => {
    assert.deepEqual(Object.keys(paymentStates.transitions).sort(), [...paymentStatuses].sort())
  })
})
