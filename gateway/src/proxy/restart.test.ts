import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { marketplaceApi, serviceApi } from '@carapace/api'
import { bareList, defineService, type RunningService, startService } from '@carapace/service'
import type { Answer } from '@carapace/testing'
import { replicaHosts } from '@carapace/testing/replica-names'
import { type Harness, startHarness } from '../testing/harness.ts'

const { listGigs, createGig } = marketplaceApi.endpoints
const gigs = defineService({
  api: serviceApi('marketplace', { endpoints: { listGigs } }),
  stores: () => ({}),
  http: () => ({ listGigs: ({ query }) => bareList([], 0, query) }),
})

const [ticks, everyMs] = [150, 20]
/** Statuses of calls, `perTick` of them 50 times per second, that are not the one at rest; the disturbance begins after a third of them. */
async function failed(send: () => Promise<Answer>, perTick: number, disturb: () => Promise<void>): Promise<number[]> {
  const answers: Promise<number>[] = []
  const { status: atRest } = await send()
  let disturbed: Promise<void> | undefined
  for (let tick = 0; tick < ticks; tick++) {
    if (tick === ticks / 3) disturbed = disturb()
    for (let call = 0; call < perTick; call++) answers.push(send().then(({ status }) => status))
    await sleep(everyMs)
  }
  await disturbed
  return (await Promise.all(answers)).filter(status => status !== atRest)
}
const failedReads = (harness: Harness, disturb: () => Promise<void>) =>
  failed(() => harness.call('GET', listGigs.path, { headers: { 'cache-control': 'no-cache' } }), 1, disturb)

describe('a service that is restarted on its port', function () {
  this.timeout(60_000)
  let harness: Harness
  let service: RunningService
  const start = async (port = 0) => {
    service = await startService(gigs, { ...harness.options, host: '127.0.0.1', port, lingerMs: 2_000 })
  }
  before(async () => {
    harness = await startHarness({}, { address: name => (name === 'marketplace' ? service.url : harness.upstream.url) })
    await start()
  })
  after(async () => {
    await service.close()
    await harness.close()
  })
  const restart = async () => {
    const port = Number(new URL(service.url).port)
    await service.close()
    await start(port)
  }

  it('fails none of 50 reads per second', async () => {
    assert.deepEqual(await failedReads(harness, restart), [])
  })

  it('fails none of 200 writes per second', async () => {
    const agent = harness.agent()
    const headers = { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet }
    // the service answers itself: it has no such route
    const write = () => harness.call('POST', createGig.path, { body: {}, headers })

    assert.deepEqual(await failed(write, 4, restart), [])
  })

  it('gets a write that could not be sent once it is back', async () => {
    const agent = harness.agent()
    const headers = { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet }
    const restarting = restart()
    const { status, body } = await harness.call('POST', createGig.path, { body: {}, headers })
    await restarting

    // it answers itself: it has no such route
    assert.deepEqual([status, body.code], [405, 'METHOD_NOT_ALLOWED'])
  })
})

describe('a service with two replicas that share one name', function () {
  this.timeout(60_000)
  let harness: Harness
  let replicas: RunningService[]
  before(async () => {
    let port = 0
    harness = await startHarness({}, { address: name => (name === 'marketplace' ? `http://gigs.replicas.test:${port}` : harness.upstream.url) })
    replicas = []
    for (const host of replicaHosts) {
      const replica = await startService(gigs, { ...harness.options, host, port })
      port = Number(new URL(replica.url).port)
      replicas.push(replica)
    }
  })
  after(async () => {
    for (const replica of replicas) await replica.close()
    await harness.close()
  })

  it('fails no read while either of them is away', async () => {
    const failed = await failedReads(harness, async () => {
      const [first, second] = replicas.splice(0) as [RunningService, RunningService]
      await first.close()
      replicas.push(await startService(gigs, { ...harness.options, host: replicaHosts[0]!, port: Number(new URL(first.url).port) }))
      await second.close()
    })

    assert.deepEqual(failed, [])
  })
})
