import type { TestPlatformOptions } from '@carapace/testing'
import { assertWell } from './well.ts'
import { startWorld, type World } from './world.ts'

/** One world for the tests of a suite. The chain confirms unless a test says otherwise; in the end the escrow finds its books in order. */
export function sharedWorld(options: TestPlatformOptions = {}): World {
  const world = {} as World
  before(async () => {
    await startWorld(options, world)
  })
  beforeEach(() => {
    world.chain = () => 'confirm'
    world.treasuryRefuses = undefined
  })
  after(async () => {
    await assertWell(world)
    await world.close()
  })
  return world
}
