import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { inProcessBus, type Outgoing, quiet } from '@carapace/bus'
import { until } from '@carapace/testing'
import { contextHeader } from '../context/context.ts'
import { type Started, startThings } from '../testing/start-things.fixture.ts'
import { internalKey, signed, thingMade } from '../testing/things.fixture.ts'

describe('the log of a service', () => {
  let service: Started
  const bus = inProcessBus({ log: quiet, retry: { delaysMs: [5], limit: 3 } })
  const secret = 'hunter2-hunter2'

  before(async () => {
    service = await startThings({ bus, env: { LOG_LEVEL: 'trace' } })
  })
  after(async () => {
    await service.close()
    await bus.close()
  })

  const of = (field: string, value: unknown) => service.lines.filter(line => line[field] === value)
  const trace = 'a'.repeat(32)
  const traceparent = `00-${trace}-${'b'.repeat(16)}-01`

  const requests: [what: string, expected: object, call: () => Promise<unknown>][] = [
    ['an answer', { status: 200, route: '/api/things/:id', level: 30 }, () => service.call('GET', '/api/things/x', { headers: { traceparent } })],
    [
      'a refusal',
      { status: 403, code: 'NOT_POSTER', level: 30 },
      () => service.post('/api/things', { title: 'refused' }, { ...signed(), traceparent }),
    ],
    [
      'an accident',
      { status: 500, code: 'INTERNAL_ERROR', level: 50 },
      () => service.post('/api/things', { title: 'broken' }, { ...signed(), traceparent }),
    ],
    ['no route', { status: 404, route: 'none', code: 'ROUTE_NOT_FOUND' }, () => service.call('GET', '/api/nothing', { headers: { traceparent } })],
  ]
  for (const [what, expected, call] of requests)
    it(`has one line for a request that ends with ${what}, with its trace`, async () => {
      const before = of('trace', trace).length

      await call()

      const lines = of('trace', trace).slice(before)
      assert.equal(lines.length, 1)
      const [line] = lines
      for (const [name, value] of Object.entries(expected)) assert.equal(line?.[name], value, name)
      assert.equal(typeof line?.ms, 'number')
      assert.equal(line?.service, 'social')
    })

  it('has one line for each attempt at an event, and says what became of it', async () => {
    const event = (title: string, type = thingMade.type): Outgoing => {
      const data = { id: randomUUID(), title }
      const envelope = {
        specversion: '1.0',
        source: '/carapace/social',
        subject: data.id,
        datacontenttype: 'application/json',
        aggregateversion: 1,
      } as const
      return {
        exchange: 'events',
        routingKey: thingMade.type,
        event: { ...envelope, id: data.id, type, time: new Date().toISOString(), traceparent, data },
      }
    }
    const outcomes = async (message: Outgoing, count: number) => {
      await bus.publish([message])
      const lines = await until('all attempts are made', () => {
        const found = of('id', message.event.id)
        return found.length >= count && found
      })
      for (const line of lines) assert.equal(line.trace, trace)
      return lines.map(line => line.outcome)
    }

    assert.deepEqual(await outcomes(event('a'), 1), ['done'])
    assert.deepEqual(await outcomes(event('late'), 2), ['retry', 'done'])
    assert.deepEqual(await outcomes(event('of an earlier version', 'social.thing.painted.v1'), 1), ['unknown'])
    assert.deepEqual(await outcomes({ ...event('a'), event: { ...event('a').event, data: { id: 5 } } }, 3), ['failed', 'failed', 'failed'])
  })

  it('holds no header, body, query or key, for any outcome', async () => {
    const headers = { ...signed({ idempotencyKey: secret }), authorization: `Bearer ${secret}`, 'x-admin-key': secret, 'x-payment': secret }
    for (const title of ['a', 'refused', 'broken', 'odd', secret, ''])
      await service.post(`/api/things?token=${secret}`, { title, more: secret }, headers)
    await service.call('GET', `/api/things/x?view=${secret}`, { headers })
    await service.call('GET', `/api/nothing/${secret}`, { headers })
    await service.call('POST', '/api/things', { headers: { ...headers, 'content-type': 'application/json' }, body: `{"title": ${secret}` })

    assert.doesNotMatch(service.text(), new RegExp(secret))
    assert.doesNotMatch(service.text(), new RegExp(internalKey))
    assert.ok(!service.text().includes(signed()[contextHeader]!.slice(0, 20)))
  })
})
