import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { until } from '@carapace/testing'
import { type Started, startThings } from './start-things.fixture.ts'
import { internalKey, signed } from './things.fixture.ts'

describe('an idempotency key', () => {
  let service: Started

  before(async () => {
    service = await startThings()
  })
  after(() => service.close())

  const keyed = (idempotencyKey: string = randomUUID()) => signed({ idempotencyKey })
  const make = (title: string, headers: Record<string, string>) => service.post('/api/things', { title }, headers)
  const effects = () => service.world.effects
  const collection = () => service.platform.db.connection.collection<{ _id: string; claimedUntil: Date }>('idempotency')

  it('makes equal requests one effect and one answer', async () => {
    const headers = keyed()

    const first = await make('a', headers)
    const second = await make('a', headers)

    assert.deepEqual([second.status, second.body], [first.status, first.body])
    assert.deepEqual([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')], [null, 'true'])
    assert.equal(effects().filter(({ operationId }) => operationId === first.body.operationId).length, 1)
  })

  it('makes 20 equal requests at once one effect: the others are told to wait or get the answer', async () => {
    const headers = keyed()
    const before = effects().length

    const answers = await Promise.all(Array.from({ length: 20 }, () => make('a', headers)))

    assert.equal(effects().length, before + 1)
    for (const { status, body, headers } of answers) {
      if (status === 201) continue
      assert.deepEqual([status, body.code, body.retryable, headers.get('retry-after')], [409, 'IDEMPOTENCY_IN_PROGRESS', true, '1'])
    }
    assert.ok(answers.some(({ status }) => status === 201))
  })

  it('is refused for another body', async () => {
    const headers = keyed()
    await make('a', headers)

    const { status, body } = await make('b', headers)

    assert.deepEqual([status, body.code], [409, 'IDEMPOTENCY_KEY_REUSED'])
  })

  it('is one of its own for each caller and path, and none means none', async () => {
    const idempotencyKey = randomUUID()
    const other = { kind: 'agent', agentId: randomUUID(), wallet: '0x00000000000000000000000000000000000000Bb' } as const

    const ids = [
      (await make('a', signed({ idempotencyKey }))).body.operationId,
      (await make('a', signed({ idempotencyKey, agent: other }))).body.operationId,
      (await service.post(`/api/agents/${other.agentId}/things`, { title: 'a' }, signed({ idempotencyKey, agent: other }))).body.operationId,
      (await make('a', signed())).body.operationId,
      (await make('a', signed())).body.operationId,
    ]

    assert.equal(new Set(ids).size, ids.length)
  })

  it('carries the same operation on after a crash', async () => {
    const headers = keyed()
    const slow = () => effects().filter(({ title }) => title === 'slow')
    const died = make('slow', headers)
    const { operationId } = await until('it has begun', () => slow()[0])
    const meanwhile = await make('slow', headers)
    // the process that claimed the key is as good as dead once its claim has run out
    await collection().updateOne({ _id: operationId }, { $set: { claimedUntil: new Date(0) } })
    const retried = make('slow', headers)
    await until('it has begun again', () => slow().length === 2)
    service.world.openGate()

    assert.equal(meanwhile.body.code, 'IDEMPOTENCY_IN_PROGRESS')
    assert.deepEqual([(await retried).status, (await retried).body.operationId], [201, operationId])
    await died
  })

  for (const title of ['full', 'poor', 'tired', 'broken'])
    it(`is not used up by what may differ later: ${title}`, async () => {
      const headers = keyed()
      const before = effects().length

      const answers = [await make(title, headers), await make(title, headers)]

      for (const answer of answers) assert.equal(answer.headers.get('idempotency-replayed'), null)
      const ids = effects()
        .slice(before)
        .map(({ operationId }) => operationId)
      assert.deepEqual([ids.length, new Set(ids).size], [2, 1])
    })

  it('is not used up by a request that is not valid', async () => {
    const headers = keyed()
    await make('', headers)

    assert.equal((await make('a', headers)).status, 201)
  })

  for (const title of ['refused', 'replayed'])
    it(`keeps a final refusal with all that it says: ${title}`, async () => {
      const idempotencyKey = randomUUID()
      const before = effects().length

      const first = await make(title, signed({ idempotencyKey }, internalKey, 'first'))
      const second = await make(title, signed({ idempotencyKey }, internalKey, 'second'))

      assert.equal(effects().length, before + 1)
      assert.equal(second.headers.get('idempotency-replayed'), 'true')
      assert.deepEqual([second.status, second.body], [first.status, { ...first.body, requestId: 'second' }])
    })

  it('replays the outcome without the secret', async () => {
    const headers = keyed()

    const first = await service.post('/api/secrets', {}, headers)
    const second = await service.post('/api/secrets', {}, headers)

    assert.equal(first.body.token, 'inv_0123456789')
    assert.deepEqual(second.body, { success: true })
    assert.doesNotMatch(JSON.stringify(await collection().find().toArray()), /inv_0123456789/)
  })
})
