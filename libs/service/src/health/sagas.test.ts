import assert from 'node:assert/strict'
import { sagasShown } from '@carapace/api'
import type { Awaiting } from '../outcomes/awaiting.ts'
import { sagaHandlers } from './sagas.ts'

describe('the sagas that a service reports', () => {
  it('are those that wait longest, with the number of all', async () => {
    const waiting: Awaiting[] = Array.from({ length: sagasShown + 2 }, (_, i) => ({
      ...{ record: `escrow ${i}`, opKey: `escrow.lock ${i}`, round: 1 },
      since: new Date((i % 2 === 0 ? 1 : 2) * 1_000_000 + i),
    }))
    const outcomes = { faults: async () => [], awaits: async () => waiting }

    const { sagas, total } = await sagaHandlers({ outcomes }).sagaReport()

    assert.deepEqual([total, sagas.length], [sagasShown + 2, sagasShown])
    assert.deepEqual(sagas[0], { record: 'escrow 0', opKey: 'escrow.lock 0', round: 1, since: new Date(1_000_000).toISOString() })
    assert.ok(sagas.every(({ since }, i) => i === 0 || sagas[i - 1]!.since <= since))
  })
})
