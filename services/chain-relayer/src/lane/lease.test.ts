import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import { openLanes } from '../lanes.ts'
import type { NetworkParts } from '../networks.ts'
import { type Kit, laneParts, quickTimings, startKit } from '../testing/kit.ts'
import { acquireLease } from './lease.ts'

describe('a process on standby', () => {
  const chain = 'BASE_SEPOLIA'
  let kit: Kit
  before(async () => {
    kit = await startKit({ chain })
  })
  after(() => kit.close())

  it('knows whether another one leads the lane, and what that one has to do', async () => {
    const parts = await laneParts({ chain, devnet: kit.devnet, db: kit.db, bus: kit.bus, rpc: kit.rpc }, {})
    const standby = openLanes(new Map([[chain, { parts, close: async () => {} } as unknown as NetworkParts]]))
    const figures = { queued: 3, inflight: 2, nonceGap: 1 }
    assert.equal((await standby.status(chain)).led, false)
    const lease = await acquireLease(kit.db.leases, parts.id, quickTimings)

    assert.deepEqual([(await standby.status(chain)).leading, (await standby.status(chain)).led], [false, true])
    lease!.describe(() => figures)
    await until('the lease is renewed', async () => (await standby.status(chain)).queued === figures.queued)

    const { inflight, nonceGap } = await standby.status(chain)
    assert.deepEqual({ inflight, nonceGap }, { inflight: figures.inflight, nonceGap: figures.nonceGap })
    await lease!.release()
    assert.deepEqual(await standby.status(chain), { ...standby.state(chain), led: false })
  })
})
