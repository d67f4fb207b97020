import assert from 'node:assert/strict'
import { paymentStatuses } from '@carapace/api'
import { paymentStates } from './payment/payment.ts'

describe('the states of the treasury', () => {
  it('of payment are those that clients see', () => {
    assert.deepEqual(Object.keys(paymentStates.transitions).sort(), [...paymentStatuses].sort())
  })
})
