import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { until } from '@carapace/testing'
import { openLanes } from '../lanes.ts'
import type { NetworkParts } from '../networks.ts'
import { type Kit, laneParts, quickTimings, startKit } from '../testing/kit.ts'
import { acquireLease } from './lease.ts'
import { aloneTimings, defaultTimings } from './timings.ts'

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

describe('the lease of a lane', () => {
  let kit: Kit
  before(async () => {
    kit = await startKit({ chain: 'BASE_SEPOLIA' })
  })
  after(() => kit.close())

  it('of a former process is waited for, and not where no other one uses the database, also of one with the same number', async () => {
    const { leases } = kit.db
    const holder = `${hostname()}/${process.pid}/of a former life`
    await leases.insertOne({ _id: 'a', holder, epoch: 3, expiresAt: new Date(Date.now() + 60_000) })
    const timings = { ...defaultTimings, ...aloneTimings }

    const shared = await acquireLease(leases, 'a', timings)
    const alone = await acquireLease(leases, 'a', timings, true)
    const second = await acquireLease(leases, 'a', timings, true)

    assert.deepEqual([shared, alone?.epoch, second], [undefined, 4, undefined])
    await alone!.release()
  })

  it('is trusted no longer than it lasts, and renewed twice before that', () => {
    for (const { leaseTtlMs, leaseTrustMs, leaseRenewMs } of [defaultTimings, aloneTimings])
      assert.ok(2 * leaseRenewMs < leaseTrustMs && leaseTrustMs < leaseTtlMs)
  })
})
