import assert from 'node:assert/strict'
import { doctorChecks } from '@carapace/testing'
import type { Harness } from './harness.ts'

const ofChain = ['contracts', 'stakes']

/** The escrow finds nothing wrong with its own books. What the contracts hold is not played here. */
export async function assertHealthy({ platform }: Harness, ...expected: string[]): Promise<void> {
  const checks = await doctorChecks(platform, 'escrow')
  assert.deepEqual(
    checks.filter(({ name, count }) => count > 0 && !ofChain.includes(name) && !expected.includes(name)),
    [],
  )
  assert.ok(checks.length >= 8)
}
