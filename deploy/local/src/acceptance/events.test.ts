import assert from 'node:assert/strict'
import { type AnyEvent, apis, consumedBy, type ServiceApi } from '@carapace/api'
import { type Bus, inProcessBus, quiet } from '@carapace/bus'
import { startGateway } from '@carapace/gateway'
import { makeLog, readConfig } from '@carapace/service'
import { acquireMongo, published, samplePayloads, startPlatform, type TestMongo, type TestPlatform } from '@carapace/testing'
import { services } from '../services.ts'

const served: readonly ServiceApi[] = Object.values(apis).filter(api => !('planned' in api))
const consumed = new Set(served.flatMap(api => consumedBy(api)).map(({ type }) => type))
const events: AnyEvent[] = Object.values(apis)
  .flatMap(({ events: declared }): AnyEvent[] => Object.values(declared))
  .filter(({ type }) => consumed.has(type))

/** A reader that refuses the payload, or breaks on a null, an absent field or a value out of range in it. Records that are not there are refused otherwise. */
const unreadable =
  /malformed|Cannot (read|convert|set|destructure|mix)|is not (a function|iterable)|cannot be converted|Invalid (time|date|count|array)|out of range/i

describe('every declared event', function () {
  this.timeout(120_000)
  let mongo: TestMongo
  let bus: Bus
  let platform: TestPlatform
  let gateway: { close(): Promise<void> }
  before(async () => {
    mongo = await acquireMongo()
    bus = inProcessBus({ log: quiet, retry: { delaysMs: [], limit: 1 } })
    platform = await startPlatform(
      // the relayer reads no event but the clock, and would request networks
      services.filter(({ api }) => api.name !== 'chain-relayer'),
      { mongo, bus },
    )
    gateway = await startGateway({
      config: { ...readConfig({ PORT: '0', AUTH_MODE: 'signed', LOG_LEVEL: 'silent' }), DB_PREFIX: mongo.prefix },
      mongoUri: mongo.uri,
      bus,
      queues: [],
      internalKey: 'k'.repeat(32),
      address: () => 'http://127.0.0.1:9',
      log: makeLog({ process: 'test', level: 'silent' }),
      exclusive: true,
    })
  })
  after(async () => {
    await gateway?.close()
    await platform?.close()
    await bus?.close()
    await mongo?.close()
  })

  it('can be read by every service that subscribes to it', async () => {
    assert.ok(events.length > 50, `${events.length} events`)
    for (const event of events) {
      const samples = samplePayloads(event.type)
      for (const sample of samples) assert.deepEqual(event.payload.safeParse(sample).error, undefined, event.type)
      // in one publish: some consumers wait a moment for more
      await bus.publish(samples.map(sample => published(event.ofPlain(sample as never))))
    }

    const refused = await bus.deadLetters(10_000)

    assert.deepEqual(
      refused.filter(({ reason }) => unreadable.test(reason)).map(({ queue, type, reason }) => `${queue} ${type}: ${reason}`),
      [],
    )
  })
})
