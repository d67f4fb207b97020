import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { marketplaceApi, serviceApi } from '@carapace/api'
import { bareList, defineService, type RunningService, startService } from '@carapace/service'
import { startWorld, type World } from '../testing/world.ts'

const { listGigs, createGig } = marketplaceApi.endpoints
const gigs = defineService({
  api: serviceApi('marketplace', { endpoints: { listGigs } }),
  stores: () => ({}),
  http: () => ({ listGigs: ({ query }) => bareList([], 0, query) }),
})

describe('a service that is restarted on its port', function () {
  this.timeout(60_000)
  let world: World
  let service: RunningService
  const start = async (port = 0) => {
    service = await startService(gigs, { ...world.options, host: '127.0.0.1', port })
  }
  before(async () => {
    world = await startWorld({}, { address: name => (name === 'marketplace' ? service.url : world.upstream.url) })
    await start()
  })
  after(async () => {
    await service.close()
    await world.close()
  })
  const restart = async () => {
    const port = Number(new URL(service.url).port)
    await service.close()
    await start(port)
  }

  it('fails none of 50 reads per second', async () => {
    const [reads, everyMs] = [150, 20]
    const answers: Promise<number>[] = []
    let restarting: Promise<void> | undefined
    for (let read = 0; read < reads; read++) {
      if (read === reads / 3) restarting = restart()
      answers.push(world.call('GET', listGigs.path).then(({ status }) => status))
      await sleep(everyMs)
    }
    await restarting

    assert.deepEqual(
      (await Promise.all(answers)).filter(status => status !== 200),
      [],
    )
  })

  it('gets a write that could not be sent once it is back', async () => {
    const agent = world.agent()
    const headers = { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet }
    const restarting = restart()
    const { status, body } = await world.call('POST', createGig.path, { body: {}, headers })
    await restarting

    // it answers itself: it has no such route
    assert.deepEqual([status, body.code], [405, 'METHOD_NOT_ALLOWED'])
  })
})
