import type { TestPlatformOptions } from '@carapace/testing'
import { assertHealthy } from './assert-healthy.ts'
import { type Harness, startHarness } from './harness.ts'

/** One harness for the tests of a suite. The chain confirms unless a test says otherwise; in the end the escrow finds its books in order. */
export function sharedHarness(options: TestPlatformOptions = {}): Harness {
  const harness = {} as Harness
  before(async () => {
    await startHarness(options, harness)
  })
  beforeEach(() => {
    harness.chain = () => 'confirm'
    harness.treasuryRefuses = undefined
  })
  after(async () => {
    await assertHealthy(harness)
    await harness.close()
  })
  return harness
}
