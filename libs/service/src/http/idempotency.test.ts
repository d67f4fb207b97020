import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { until } from '@carapace/testing'
import { type Started, startThings } from '../testing/start-things.fixture.ts'
import { internalKey, signed } from '../testing/things.fixture.ts'
import { fingerprintOf, openIdempotency } from './idempotency.ts'

describe('an idempotency key', () => {
  let service: Started

  before(async () => {
    service = await startThings()
  })
  after(() => service.close())

  const keyed = (idempotencyKey: string = randomUUID()) => signed({ idempotencyKey })
  const make = (title: string, headers: Record<string, string>) => service.post('/api/things', { title }, headers)
  const effects = () => service.harness.effects
  type Stored = { _id: string; owner: string; claimedUntil: Date }
  const keys = (started: Started) => started.platform.db.connection.collection<Stored>('idempotency')
  /** Two processes of one service: they share a database. */
  async function replicas(): Promise<[Started, Started]> {
    const first = await startThings()
    const { mongoUri, config } = first.shares
    return [first, await startThings({ runtime: { mongoUri, config } })]
  }
  const collection = () => keys(service)

  it('makes equal requests one effect and one answer', async () => {
    const headers = keyed()

    const first = await make('a', headers)
    const second = await make('a', headers)

    assert.deepEqual([second.status, second.body], [first.status, first.body])
    assert.deepEqual([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')], [null, 'true'])
    assert.equal(effects().filter(({ operationId }) => operationId === first.body.operationId).length, 1)
  })

  it('makes 20 concurrent equal requests one effect: the others are refused for now or get the answer', async () => {
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

  it('vouches for the query too: it may name the record that a write is about', () => {
    const [base, skale] = ['BASE_SEPOLIA', 'SKALE_TESTNET'].map(chain => fingerprintOf({}, { chain }))

    assert.equal(new Set([fingerprintOf({}), base, skale]).size, 3)
    assert.equal(fingerprintOf({}, { chain: undefined }), fingerprintOf({}))
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

  it('stays with its process however long the request runs: another replica waits for it, one effect', async () => {
    const [owner, replica] = await replicas()
    const headers = keyed()
    const slow = owner.post('/api/things', { title: 'slow' }, headers)
    const first = await until('it is claimed', () => keys(owner).findOne())
    const leaseIs = (renewedMs: number) => async () =>
      ((await keys(owner).findOne())?.claimedUntil.getTime() ?? 0) - first.claimedUntil.getTime() >= renewedMs
    await until('the first lease is over', () => Date.now() > first.claimedUntil.getTime(), 30)
    const meanwhile = await replica.post('/api/things', { title: 'slow' }, headers)
    await until('it is held for three times as long', leaseIs(8_000), 30)
    const later = await replica.post('/api/things', { title: 'slow' }, headers)
    owner.harness.openGate()

    assert.equal((await slow).status, 201)
    for (const { status, body } of [meanwhile, later]) assert.deepEqual([status, body.code], [409, 'IDEMPOTENCY_IN_PROGRESS'])
    assert.deepEqual([replica.harness.effects, owner.harness.effects.length], [[], 1])
    const after = await replica.post('/api/things', { title: 'slow' }, headers)
    assert.deepEqual([after.body, after.headers.get('idempotency-replayed')], [(await slow).body, 'true'])
    for (const service of [replica, owner]) await service.close()
  })

  it('is free within 5 s of the death of its process, and the same operation is carried on', async () => {
    const [owner, replica] = await replicas()
    const headers = keyed()
    const died = owner.post('/api/things', { title: 'slow' }, headers).catch(() => undefined)
    await until('it has begun', () => owner.harness.effects[0])
    // without its database a process renews nothing: to the others it is dead
    await owner.platform.db.close()
    const [left] = await keys(replica).find().toArray()
    const leftMs = left!.claimedUntil.getTime() - Date.now()
    replica.harness.openGate()

    const retried = await until(
      'another replica runs it',
      async () => {
        const answer = await replica.post('/api/things', { title: 'slow' }, headers)
        return answer.status === 201 ? answer : undefined
      },
      30,
    )

    assert.ok(leftMs > 0 && leftMs <= 5_000, `held for ${leftMs} ms after its death`)
    assert.equal(retried.body.operationId, owner.harness.effects[0]!.operationId)
    owner.harness.openGate()
    await died
    for (const service of [replica, owner]) await service.close()
  })

  it('preserves the answer of the process that holds it, not of one that seemed dead', async () => {
    const [owner, replica] = await replicas()
    const headers = keyed()
    const blocked = owner.post('/api/things', { title: 'slow' }, headers)
    const { _id } = await until('it is claimed', () => keys(owner).findOne())
    replica.harness.openGate()

    const answer = await until('another replica runs it', async () => {
      // as after a blocked event loop: the lease was over before it was renewed
      await keys(owner).updateOne({ _id }, { $set: { claimedUntil: new Date(0) } })
      const retried = await replica.post('/api/things', { title: 'slow' }, headers)
      return retried.status === 201 ? retried : undefined
    })
    owner.harness.openGate()
    await blocked

    const replay = await owner.post('/api/things', { title: 'slow' }, headers)
    assert.deepEqual([replay.body, replay.headers.get('idempotency-replayed')], [answer.body, 'true'])
    assert.equal(replay.body.operationId, _id)
    for (const service of [replica, owner]) await service.close()
  })

  it('is never claimed twice by one process, even when its lease has ended', async () => {
    const headers = keyed()
    const slow = () => effects().filter(({ title }) => title === 'slow')
    const running = make('slow', headers)
    const { operationId } = await until('it has begun', () => slow()[0])
    await collection().updateOne({ _id: operationId }, { $set: { claimedUntil: new Date(0) } })

    const [same, other] = [await make('slow', headers), await make('b', headers)]
    service.harness.openGate()

    assert.deepEqual([same.body.code, other.body.code, slow().length], ['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED', 1])
    assert.equal((await running).status, 201)
  })

  it('is released by an orderly end of its process', async () => {
    const { db, log } = service.platform
    const [ending, other] = [await openIdempotency(db, log), await openIdempotency(db, log)]
    const id = randomUUID()
    await ending.claim(id, 'a')

    await ending.close()

    assert.equal(await other.claim(id, 'a'), undefined)
    await other.close()
  })

  it('is free once it is released, also when a renewal of its lease comes later', async () => {
    const { db, log } = service.platform
    const [process, other] = [await openIdempotency(db, log), await openIdempotency(db, log)]
    const id = randomUUID()
    await process.claim(id, 'a')
    const claimed = await collection().findOne({ _id: id })
    await process.release(id)

    await collection().updateMany({ _id: id, owner: claimed!.owner }, { $set: { claimedUntil: new Date(Date.now() + 60_000) } })

    assert.equal(await other.claim(id, 'a'), undefined)
    await process.close()
    await other.close()
  })

  for (const title of ['full', 'poor', 'tired', 'moving', 'broken'])
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
    it(`preserves a final refusal with all that it says: ${title}`, async () => {
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
