import { type FaultyNode, seeded, startFaultyNode } from '@carapace/testing'
import { type Kit, startKit } from './kit.ts'

/** What its node misbehaves by is read from `faults`; numbers of the node itself are not copied. */
type Door = Omit<FaultyNode, 'swallowed'>

/** A kit of its own for each test of a suite, filled before and closed after it. */
export function kitPerTest(): Kit {
  const kit = {} as Kit
  beforeEach(async () => {
    Object.assign(kit, await startKit())
  })
  afterEach(() => kit.close())
  return kit
}

/** The same with a node in front of the devnet whose faults can be switched on. @example await kit.start({ rpcUrl: door.url }) */
export function faultyKitPerTest(seed: number): { kit: Kit; door: Door } {
  const kit = kitPerTest()
  const door = {} as Door
  beforeEach(async () => {
    Object.assign(door, await startFaultyNode(kit.devnet.wsUrl, seeded(seed)))
  })
  afterEach(() => door.close())
  return { kit, door }
}
