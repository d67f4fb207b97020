import assert from 'node:assert/strict'
import { escrowRestated, jobStatuses } from './index.ts'
import { paymentCorrection } from './payment-correction.ts'

/** By status: what `unpaid` false and true say. */
const table = {
  locked: [undefined, 'reversed'],
  released: ['paidAgain', 'reversed'],
  refunded: [undefined, 'lost'],
  none: [undefined, 'lost'],
  open: [undefined, 'reversed'],
  funded: [undefined, 'reversed'],
  assigned: [undefined, 'reversed'],
  submitted: [undefined, 'reversed'],
  disputed: [undefined, 'reversed'],
  settled: ['paidAgain', 'reversed'],
  rejected: [undefined, 'lost'],
  cancelled: [undefined, 'lost'],
} as const

describe('a correction of a payment', () => {
  it('says of each status whether the payment is reversed, lost or made again', () => {
    const found = Object.fromEntries(
      Object.keys(table).map(name => {
        const status = name as keyof typeof table
        return [status, [paymentCorrection({ status, unpaid: false }), paymentCorrection({ status, unpaid: true })]]
      }),
    )

    assert.deepEqual(found, table)
  })

  it('knows every status of an escrow and of a job', () => {
    const statuses = [...escrowRestated.payload.shape.status.options, ...jobStatuses]

    assert.deepEqual([...new Set(statuses)].sort(), Object.keys(table).sort())
  })
})
