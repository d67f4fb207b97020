import assert from 'node:assert/strict'
import { apis, type ServiceName } from '@carapace/api'
import type { Platform } from '@carapace/service'
import { moveAllClocks } from './clock.ts'

describe('the clocks of all services', function () {
  this.timeout(60_000)
  const peersWith = (busy: readonly ServiceName[], moved: ServiceName[] = []): Pick<Platform, 'peers'> => {
    const call = async (name: ServiceName) => {
      if (busy.includes(name)) throw new Error('still at work')
      moved.push(name)
      return { offsetMs: 1 }
    }
    return { peers: { call } } as unknown as Pick<Platform, 'peers'>
  }

  it('are moved by one request each', async () => {
    const moved: ServiceName[] = []

    assert.deepEqual(await moveAllClocks(peersWith([], moved), 1), [])

    const served = Object.values(apis).filter(api => !('planned' in api))
    assert.deepEqual(moved.toSorted(), served.map(({ name }) => name as ServiceName).toSorted())
  })

  it('name the services that are still at work after 10 s, and no others', async () => {
    assert.deepEqual((await moveAllClocks(peersWith(['escrow', 'swarm']), 1)).toSorted(), ['escrow', 'swarm'])
  })
})
