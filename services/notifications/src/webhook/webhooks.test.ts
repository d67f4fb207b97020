import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { limits } from '@carapace/api'
import { openDatabase } from '@carapace/store'
import { acquireMongo, published, startPlatform, type TestPlatform, until } from '@carapace/testing'
import { Webhook } from 'standardwebhooks'
import { notifications } from '../index.ts'
import { assigned } from '../testing/assigned.ts'
import { identityStub, socialStub } from '../testing/identity.ts'
import { type Received, type Receiver, startReceiver } from '../testing/receiver.ts'
import { triesAtMs } from './delivery.ts'

/** As a receiver does, with the library of the standard as it is. */
const verified = (secret: string, { headers, body }: Received) => new Webhook(secret).verify(body, headers as Record<string, string>) as Delivered
interface Delivered {
  type: string
  timestamp: string
  data: { id: string; agentId: string; type: string; metadata: { gigId: string } }
}

describe('webhooks', () => {
  let platform: TestPlatform
  let receiver: Receiver

  before(async () => {
    platform = await startPlatform([identityStub, socialStub, notifications], { env: { WEBHOOK_LOOPBACK: 'yes' } })
  })
  after(() => platform.close())
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(() => receiver.close())

  const headersOf = (agentId: string) => ({ 'x-agent-id': agentId, 'x-wallet-address': `0x${'1'.repeat(40)}` })
  const call = (agentId: string, method: string, path = '', body?: object) =>
    platform.call(method, `/api/agents/${agentId}/webhook${path}`, { headers: headersOf(agentId), ...(body ? { body } : {}) })
  /** An agent with a webhook, and its secret. */
  const subscribed = async (types?: string[], webhookUrl = receiver.url) => {
    const agentId = randomUUID()
    const { status, body } = await call(agentId, 'PUT', '', { webhookUrl, ...(types ? { types } : {}) })
    assert.equal(status, 200, JSON.stringify(body))
    return { agentId, secret: body.secret as string }
  }
  const deliveries = async (agentId: string) => (await call(agentId, 'GET', '/deliveries')).body.deliveries
  const isIn = (status: string, agentId: string) =>
    until(`the delivery is ${status}`, async () => {
      const [newest] = await deliveries(agentId)
      return newest?.status === status && newest
    })

  it('deliver a notification so that the library of the standard verifies it', async () => {
    const { agentId, secret } = await subscribed()
    const gigId = randomUUID()

    await platform.publish(assigned(agentId, gigId))

    const delivery = await isIn('delivered', agentId)
    const [received, ...more] = receiver.received
    const { type, data } = verified(secret, received!)
    assert.deepEqual([type, data.agentId, data.metadata.gigId, more.length], ['gig_accepted', agentId, gigId, 0])
    assert.deepEqual([received!.headers['webhook-id'], data.id], [delivery.id, delivery.notificationId])
    assert.throws(() => verified(`whsec_${'A'.repeat(32)}`, received!))
  })

  it('deliver nothing of a type that was not wanted, nor of another agent', async () => {
    const { agentId } = await subscribed(['new_follower'])
    const other = await subscribed()

    await platform.publish(assigned(agentId))
    await platform.publish(assigned(other.agentId))

    await isIn('delivered', other.agentId)
    assert.deepEqual(await deliveries(agentId), [])
    assert.equal(receiver.received.length, 1)
  })

  it('try again under the same id at the stated times, and report each try', async () => {
    const { agentId, secret } = await subscribed()
    receiver.answers.push(500, 302)

    await platform.publish(assigned(agentId))
    await until('the first try', () => receiver.received.length === 1)
    for (const [n, seconds] of [5, 60].entries()) {
      await until('its outcome is stored', async () => (await deliveries(agentId))[0]?.tries.length === n + 1)
      await platform.advance(seconds)
    }

    const { tries, nextTryAt } = await isIn('delivered', agentId)
    assert.deepEqual(
      tries.map(({ status }: { status: number }) => status),
      [500, 302, 200],
    )
    assert.equal(nextTryAt, null)
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    for (const received of receiver.received) verified(secret, received)
  })

  it('are disabled with the last try, which the inbox says, and enabled when they are set again', async () => {
    const { agentId, secret } = await subscribed()
    receiver.answers.push(...triesAtMs.map(() => 503))

    await platform.publish(assigned(agentId))
    for (const [n, ms] of triesAtMs.entries()) {
      if (n > 0) await platform.advance((ms - triesAtMs[n - 1]!) / 1_000)
      await until(`try ${n + 1}`, async () => (await deliveries(agentId))[0]?.tries.length === n + 1)
    }

    await isIn('failed', agentId)
    const notice = await until('the inbox says so', async () => {
      const { body } = await platform.call('GET', `/api/agents/${agentId}/notifications`)
      return body.notifications.find(({ type }: { type: string }) => type === 'webhook_disabled')
    })
    assert.equal(notice.metadata.host, new URL(receiver.url).host)
    assert.ok((await call(agentId, 'GET')).body.disabledAt)
    assert.equal((await call(agentId, 'POST', '/test', {})).body.code, 'INVALID_STATE')

    const again = await call(agentId, 'PUT', '', { webhookUrl: receiver.url })
    const [failed] = await deliveries(agentId)
    await call(agentId, 'POST', `/deliveries/${failed.id}/replay`, {})

    assert.deepEqual([again.body.disabledAt, again.body.secret], [null, null])
    await isIn('delivered', agentId)
    verified(secret, receiver.received.at(-1)!)
  })

  it('that are disabled fail what waits for them, also where they are enabled again', async () => {
    // the notice that it was disabled would come as well
    const types = ['gig_accepted']
    const { agentId } = await subscribed(types)
    const statuses = async () => (await deliveries(agentId)).map(({ status }: { status: string }) => status)
    receiver.answers.push(500, 500)
    await platform.publish(assigned(agentId))
    await until('the first try has failed', async () => (await deliveries(agentId))[0]?.tries.length === 1)
    await platform.advance(5)
    await until('the second try has failed', async () => (await deliveries(agentId))[0]?.tries.length === 2)

    receiver.answers.push(410)
    await call(agentId, 'POST', '/test', {})
    await until('it is disabled', async () => (await call(agentId, 'GET')).body.disabledAt !== null)
    await call(agentId, 'PUT', '', { webhookUrl: receiver.url, types })

    await until('what waited has failed', async () => (await statuses()).join() === 'failed,failed')
    await platform.advance(60)
    await call(agentId, 'POST', '/test', {})
    await until('what comes after is delivered', async () => (await statuses()).join() === 'delivered,failed,failed')
    assert.equal(receiver.received.length, 4)
  })

  it('are signed with both secrets for a day after a rotation', async () => {
    const { agentId, secret } = await subscribed()
    const { body: rotation } = await call(agentId, 'POST', '/rotate-secret', {})

    await call(agentId, 'POST', '/test', {})
    await until('the test arrives', () => receiver.received.length === 1)
    await platform.advance(86_400)
    await call(agentId, 'POST', '/test', {})
    await until('the second one arrives', () => receiver.received.length === 2)

    const [first, second] = receiver.received as [Received, Received]
    for (const key of [secret, rotation.secret]) assert.equal(verified(key, first).type, 'webhook_test')
    assert.equal(verified(rotation.secret, second).type, 'webhook_test')
    assert.throws(() => verified(secret, second))
  })

  it('stay enabled where they were set to another address during the try that failed', async () => {
    const { agentId } = await subscribed()
    const other = await startReceiver()
    receiver.onReceived = () => call(agentId, 'PUT', '', { webhookUrl: other.url })
    receiver.answers.push(410)

    await call(agentId, 'POST', '/test', {})
    const { id } = await isIn('failed', agentId)
    assert.equal((await call(agentId, 'POST', `/deliveries/${id}/replay`, {})).status, 202)
    await isIn('delivered', agentId)

    assert.deepEqual([other.received.length, (await call(agentId, 'GET')).body.disabledAt], [1, null])
    other.close()
  })

  it('show their secret once, and end with null', async () => {
    const { agentId, secret } = await subscribed(['gig_accepted'])
    const shown = await call(agentId, 'GET')
    const changed = await call(agentId, 'PUT', '', { webhookUrl: `${receiver.url}/2` })
    const ended = await call(agentId, 'PUT', '', { webhookUrl: null })

    assert.match(secret, /^whsec_/)
    assert.deepEqual([shown.body.webhookUrl, shown.body.types, shown.body.secret], [receiver.url, ['gig_accepted'], undefined])
    assert.deepEqual([changed.body.secret, changed.body.types], [null, null])
    assert.deepEqual([ended.body.webhookUrl, (await call(agentId, 'GET')).body.webhookUrl], [null, null])
    assert.equal((await call(agentId, 'POST', '/test', {})).status, 404)
  })

  it('show one secret where they are set several times in one moment', async () => {
    const agentId = randomUUID()
    const urls = ['/1', '/2', '/3', '/4'].map(path => receiver.url + path)

    const answers = await Promise.all(urls.map(webhookUrl => call(agentId, 'PUT', '', { webhookUrl })))

    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.equal(answers.filter(({ body }) => body.secret !== null).length, 1)
    assert.ok(urls.includes((await call(agentId, 'GET')).body.webhookUrl))
  })

  it('belong to their agent', async () => {
    const [mine, other] = [await subscribed(), await subscribed()]
    await platform.publish(assigned(mine.agentId))
    const { id } = await isIn('delivered', mine.agentId)

    const foreign = await platform.call('GET', `/api/agents/${mine.agentId}/webhook`, { headers: headersOf(other.agentId) })
    const replay = await call(other.agentId, 'POST', `/deliveries/${id}/replay`, {})

    assert.deepEqual([foreign.status, replay.status], [403, 404])
  })

  it('wait for no receiver but their own, which has two of them at most', async () => {
    const stalled = await startReceiver()
    stalled.stall()
    const [slow, other] = [await subscribed(undefined, stalled.url), await subscribed()]
    for (let n = 0; n < 4; n++) await platform.publish(assigned(slow.agentId))
    await until('two are under way', () => stalled.mostOpen() === 2)

    await platform.publish(assigned(other.agentId))

    await isIn('delivered', other.agentId)
    assert.equal(stalled.mostOpen(), 2)
    stalled.close()
  })

  it('deliver an event once that comes again', async () => {
    const { agentId } = await subscribed()
    const message = published(assigned(agentId))

    await platform.bus.publish([message, message])
    await isIn('delivered', agentId)
    await platform.bus.publish([message])
    await call(agentId, 'POST', '/test', {})

    await until('the test arrives', () => receiver.received.some(({ body }) => body.includes('webhook_test')))
    const types = (await deliveries(agentId)).map(({ type }: { type: string }) => type)
    assert.deepEqual(types, ['webhook_test', 'gig_accepted'])
  })
})

describe('webhooks for which too many deliveries wait', () => {
  it('get no further one by hand, and show notifications as failed, to be replayed', async () => {
    const [mongo, receiver] = [await acquireMongo(), await startReceiver()]
    const platform = await startPlatform([identityStub, socialStub, notifications], { mongo, env: { WEBHOOK_LOOPBACK: 'yes' } })
    const agentId = randomUUID()
    const headers = { 'x-agent-id': agentId, 'x-wallet-address': `0x${'1'.repeat(40)}` }
    const call = (method: string, path: string, body?: object) =>
      platform.call(method, `/api/agents/${agentId}/webhook${path}`, { headers, ...(body ? { body } : {}) })
    await call('PUT', '', { webhookUrl: receiver.url })
    await call('POST', '/test', {})
    await until('the test arrives', () => receiver.received.length === 1)
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}carapace_notifications` })
    const deliveries = db.connection.collection<{ _id: string; agentId: string }>('deliveries')
    const { _id, ...delivered } = (await deliveries.findOne({ agentId }))!
    const waiting = { ...delivered, status: 'pending', dueAt: new Date(Date.now() + 86_400_000) }
    await deliveries.insertMany(Array.from({ length: limits.webhook.waiting }, (_, n) => ({ ...waiting, _id: `msg_${n}` })))

    await platform.publish(assigned(agentId))
    const failed = await until('it is in the log', async () => (await call('GET', '/deliveries?status=failed')).body.deliveries[0])
    const [test, replay] = [await call('POST', '/test', {}), await call('POST', `/deliveries/${_id}/replay`, {})]
    await deliveries.deleteOne({ _id: 'msg_0' })
    await call('POST', `/deliveries/${failed.id}/replay`, {})
    await until('it arrives', () => receiver.received.length === 2)

    assert.deepEqual([failed.type, /too many/.test(failed.tries[0].error)], ['gig_accepted', true])
    assert.deepEqual([test.status, test.body.code, replay.status], [429, 'RATE_LIMITED', 429])
    await db.close()
    await platform.close()
    await mongo.close()
    receiver.close()
  })
})

describe('webhooks of a process that ends between two tries', () => {
  it('are tried by the next one when it is time', async () => {
    const [mongo, receiver] = [await acquireMongo(), await startReceiver()]
    const start = () => startPlatform([identityStub, socialStub, notifications], { mongo, env: { WEBHOOK_LOOPBACK: 'yes' } })
    const agentId = randomUUID()
    const headers = { 'x-agent-id': agentId, 'x-wallet-address': `0x${'1'.repeat(40)}` }
    const newest = async (platform: TestPlatform) =>
      (await platform.call('GET', `/api/agents/${agentId}/webhook/deliveries`, { headers })).body.deliveries[0]
    receiver.answers.push(500)

    const first = await start()
    await first.call('PUT', `/api/agents/${agentId}/webhook`, { headers, body: { webhookUrl: receiver.url } })
    await first.publish(assigned(agentId))
    await until('the first try has failed', async () => (await newest(first))?.tries.length === 1)
    await first.close()
    const second = await start()
    await second.advance(5)

    await until('it is delivered', async () => (await newest(second))?.status === 'delivered')
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    await second.close()
    await mongo.close()
    receiver.close()
  })
})

describe('the secret of a webhook', () => {
  it('is sealed in the database, also where an older version has stored it as it is', async () => {
    const [mongo, receiver] = [await acquireMongo(), await startReceiver()]
    const start = () => startPlatform([identityStub, socialStub, notifications], { mongo, env: { WEBHOOK_LOOPBACK: 'yes' } })
    const agentId = randomUUID()
    const headers = { 'x-agent-id': agentId, 'x-wallet-address': `0x${'1'.repeat(40)}` }
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}carapace_notifications` })
    const webhooks = db.connection.collection<{ _id: string; secret: string }>('webhooks')
    const isSealed = async (secret: string) => !JSON.stringify(await webhooks.findOne({ _id: agentId })).includes(secret)

    const first = await start()
    const { body } = await first.call('PUT', `/api/agents/${agentId}/webhook`, { headers, body: { webhookUrl: receiver.url } })
    assert.ok(await isSealed(body.secret))
    await first.close()
    await webhooks.updateOne({ _id: agentId }, { $set: { secret: body.secret }, $unset: { sealedBy: 1 } })
    const second = await start()
    await second.advance(1)

    assert.ok(await isSealed(body.secret))
    await second.call('POST', `/api/agents/${agentId}/webhook/test`, { headers, body: {} })
    await until('the test arrives', () => receiver.received.length === 1)
    assert.equal(verified(body.secret, receiver.received[0]!).type, 'webhook_test')
    await second.close()
    await db.close()
    await mongo.close()
    receiver.close()
  })
})

describe('webhooks where nothing but public addresses is allowed', () => {
  it('are refused for a private address, and reach none that a name hides', async () => {
    const platform = await startPlatform([identityStub, socialStub, notifications])
    const agentId = randomUUID()
    const headers = { 'x-agent-id': agentId, 'x-wallet-address': `0x${'1'.repeat(40)}` }
    const set = (webhookUrl: string) => platform.call('PUT', `/api/agents/${agentId}/webhook`, { headers, body: { webhookUrl } })

    const refused = await set('https://0x7f.0.0.1/')
    const hidden = await set('https://localhost/')
    await platform.call('POST', `/api/agents/${agentId}/webhook/test`, { headers, body: {} })

    assert.deepEqual([refused.status, refused.body.errors?.[0]?.path, hidden.status], [400, 'webhookUrl', 200])
    await until('the try is refused', async () => {
      const { body } = await platform.call('GET', `/api/agents/${agentId}/webhook/deliveries`, { headers })
      return /not public/.test(body.deliveries[0]?.tries[0]?.error ?? '')
    })
    await platform.close()
  })
})
