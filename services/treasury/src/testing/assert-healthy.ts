import assert from 'node:assert/strict'
import { doctor } from './agents.ts'
import type { Harness } from './harness.ts'

/** Every invariant of the treasury holds. */
export async function assertHealthy(harness: Harness): Promise<void> {
  const checks = await doctor(harness)
  assert.deepEqual(
    checks.map(({ name }) => name),
    ['ledger', 'reserved', 'debts', 'payments', 'clearing', 'x402', 'custody', 'stuck', 'outcomes', 'sums', 'unclaimed'],
  )
  assert.deepEqual(
    checks.flatMap(({ count, detail }) => (count > 0 ? detail : [])),
    [],
  )
}
