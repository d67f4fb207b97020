import assert from 'node:assert/strict'
import { type AnyEvent, cloudEvent, serviceApi } from '@carapace/api'
import { startPlatform, until } from '@carapace/testing'
import { type AnyService, defineService, on, type Platform, type Subscription } from './define.ts'
import { startThings } from './testing/start-things.fixture.ts'
import { thingMade, thingsApi } from './testing/things.fixture.ts'

const draft = thingMade.of({ id: 'thing-1', title: 'early' })
const early = {
  ...draft,
  event: cloudEvent(draft, { id: 'event-1', source: '/carapace/social', time: new Date().toISOString(), aggregateversion: 1 }),
}

/** Publishes by the bus itself, as a lane of the relayer does. */
const publisher = (started: (platform: Platform) => Promise<unknown>): AnyService =>
  defineService({
    api: serviceApi('social', { endpoints: {}, events: { thingMade } }),
    stores: () => ({}),
    http: () => ({}),
    started: async platform => void (await started(platform)),
  })

const reader = (received: string[]): AnyService =>
  defineService({
    api: serviceApi('domains', { endpoints: {}, consumes: [thingMade] }),
    stores: () => ({}),
    http: () => ({}),
    events: () => [on(thingMade, async ({ title }) => void received.push(title))],
  })

describe('declared queues', () => {
  it('preserve what is published while the services start for those that start later', async () => {
    const received: string[] = []
    let published: Promise<void> | undefined
    const first = publisher(async ({ bus }) => {
      published = bus.publish([early])
    })

    const platform = await startPlatform([first, reader(received)])

    try {
      await published
      assert.deepEqual(received, ['early'])
    } finally {
      await platform.close()
    }
  })

  it('lets a service publish once every service of its process listens', async () => {
    const received: string[] = []
    const order: string[] = []
    const first = publisher(async ({ bus, mayPublish }) => {
      void mayPublish.then(() => order.push('may publish')).then(() => bus.publish([early]))
    })
    const second: AnyService = { ...reader(received), started: async () => void order.push('the reader has started') }

    const platform = await startPlatform([first, second])

    try {
      await until('it was read', () => received.length === 1)
      assert.deepEqual(order, ['the reader has started', 'may publish'])
    } finally {
      await platform.close()
    }
  })

  it('are what a service subscribes to, or it does not start', async () => {
    const withEvents = (consumes: readonly AnyEvent[], events: () => Subscription[]) =>
      startThings({ more: { api: { ...thingsApi, consumes }, events } }).then(started => started.close())

    await withEvents([thingMade], () => [on(thingMade, async () => undefined)])
    await assert.rejects(
      withEvents([], () => [on(thingMade, async () => undefined)]),
      /social subscribes to social\.thing\.made\.v1 without declaring it/,
    )
    await assert.rejects(
      withEvents([thingMade], () => []),
      /social declares .*social\.thing\.made\.v1 without subscribing to it/,
    )
  })
})
