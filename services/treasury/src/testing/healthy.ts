import assert from 'node:assert/strict'
import { doctor } from './agents.ts'
import type { World } from './world.ts'

/** Every invariant of the treasury holds. */
export async function assertHealthy(world: World): Promise<void> {
  const checks = await doctor(world)
  assert.deepEqual(
    checks.map(({ name }) => name),
    ['ledger', 'reserved', 'debts', 'payments', 'clearing', 'custody', 'stuck', 'outcomes'],
  )
  assert.deepEqual(
    checks.flatMap(({ detail }) => detail),
    [],
  )
}
