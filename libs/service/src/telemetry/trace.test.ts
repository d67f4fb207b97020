import assert from 'node:assert/strict'
import { type Bus, inProcessBus, quiet, rabbitBus } from '@carapace/bus'
import { acquireBroker, until } from '@carapace/testing'
import { startThings } from '../testing/start-things.fixture.ts'
import { signed } from '../testing/things.fixture.ts'
import { inSpan, traceparentOf } from './trace.ts'

interface Driver {
  bus: Bus
  close(): Promise<void>
}
const drivers: Record<string, () => Promise<Driver>> = {
  'in process': async () => {
    const bus = inProcessBus({ log: quiet })
    return { bus, close: () => bus.close() }
  },
  RabbitMQ: async () => {
    const broker = await acquireBroker()
    const bus = rabbitBus({ log: quiet, ...broker, service: 'test' })
    return { bus, close: () => bus.close().then(() => broker.stop()) }
  },
}

describe('a trace', function () {
  this.timeout(240_000)
  const traceId = 'c'.repeat(32)
  const work = { by: 'social', name: 'a', kind: 'server' } as const

  for (const [name, open] of Object.entries(drivers))
    it(`goes on through HTTP, outbox, bus and consumer (${name})`, async () => {
      const driver = await open()
      const service = await startThings({ bus: driver.bus })

      await service.post('/api/things', { title: 'a' }, { ...signed(), traceparent: `00-${traceId}-${'d'.repeat(16)}-01` })

      const [event] = await until('the event is handled', () => {
        const found = service.lines.filter(line => line.event === 'social.thing.made.v1')
        return found.length > 0 && found
      })
      const [request] = service.lines.filter(line => line.route === '/api/things')
      assert.deepEqual([request?.trace, event?.trace], [traceId, traceId])
      await service.close()
      await driver.close()
    })

  it('is a new one where there is none, or none that is one', async () => {
    for (const parent of [
      undefined,
      '',
      'x',
      `00-${traceId}-${'d'.repeat(16)}`,
      `01-${traceId}-${'d'.repeat(16)}-01`,
      `00-${'0'.repeat(32)}-${'d'.repeat(16)}-01`,
    ]) {
      const own = await inSpan(work, parent, async trace => traceparentOf(trace))
      assert.match(own ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)
      assert.ok(!own?.includes(traceId) && !own?.includes('0'.repeat(32)), parent)
    }
  })

  it('has a span of its own for each piece of work', async () => {
    const parent = `00-${traceId}-${'d'.repeat(16)}-01`

    const spans = await Promise.all([1, 2].map(() => inSpan(work, parent, async trace => trace.spanId)))

    assert.equal(new Set([...spans, 'd'.repeat(16)]).size, 3)
  })
})
