import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { acquireBroker, type Broker, type FaultProxy, outgoing, startFaultProxy, testRetry, unique, until } from '@carapace/testing'
import { connect } from 'amqplib'
import type { Bus } from '../bus.ts'
import { quiet, Unroutable } from '../bus.ts'
import { rabbitBus } from './rabbit.ts'

describe('bus: RabbitMQ over a bad line and with consumers that die', function () {
  this.timeout(60_000)
  let broker: Broker
  let proxy: FaultProxy
  let direct: Bus
  let proxied: Bus
  let topic: string
  let name: string

  before(async function () {
    this.timeout(240_000)
    broker = await acquireBroker()
  })
  after(() => broker?.stop())

  beforeEach(async () => {
    topic = unique('topic')
    name = unique('carapace.test')
    const url = new URL(broker.url)
    proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port || 5672) })
    url.host = `127.0.0.1:${proxy.port}`
    direct = rabbitBus({ log: quiet, ...broker, service: 'direct', retry: testRetry })
    proxied = rabbitBus({ log: quiet, url: url.href, prefix: broker.prefix, service: 'proxied', retry: testRetry })
    await until('both are connected', () => direct.ready() && proxied.ready())
  })
  afterEach(async () => {
    await Promise.all([direct.close(), proxied.close()])
    await proxy.close()
  })

  const queue = () => ({ name, exchange: 'events' as const, bindings: [topic] })
  const batch = (count: number) => Array.from({ length: count }, () => outgoing(topic))
  async function deleteQueue(queueName: string): Promise<void> {
    const connection = await connect(broker.url)
    await (await connection.createChannel()).deleteQueue(queueName)
    await connection.close()
  }

  it('rejects what was not confirmed when the connection broke, and publishes again after', async () => {
    proxy.hold()
    const publishes = [proxied.publish(batch(300)), proxied.publish(batch(1))]
    const outcomes = Promise.allSettled(publishes)
    proxy.reset()

    for (const { status } of await outcomes) assert.equal(status, 'rejected')

    proxy.pass()
    await until('it is ready', () => proxied.ready())
    await proxied.publish(batch(1))
  })

  it('preserves what one process publishes for a consumer that starts later in another', async () => {
    const seen: string[] = []
    const messages = batch(3)
    await proxied.declare([queue()])
    await proxied.publish(messages)
    await proxied.close()

    await direct.subscribe(queue(), async event => void seen.push(event.id))

    await until('all arrived', () => seen.length === 3)
    assert.deepEqual(
      seen,
      messages.map(({ event }) => event.id),
    )
  })

  it('confirms no event whose declared queue was lost, not one copy of it, and makes the queue again', async () => {
    const seen: string[] = []
    await direct.declare([queue()])
    await deleteQueue(broker.prefix + name)
    const [event] = batch(1)

    const outcomes = await Promise.allSettled([direct.publish([event!]), direct.publish([event!]), direct.publish([outgoing('nobody.reads.it')])])

    assert.deepEqual(
      outcomes.map(outcome => (outcome.status === 'rejected' && outcome.reason instanceof Unroutable ? 'unroutable' : outcome.status)),
      ['unroutable', 'unroutable', 'fulfilled'],
    )
    await until('it is confirmed', () =>
      direct.publish([event!]).then(
        () => true,
        () => false,
      ),
    )
    await direct.subscribe(queue(), async ({ id }) => void seen.push(id))
    await until('it arrived', () => seen.includes(event!.event.id))
  })

  it('makes the declared queues again before it publishes on a new connection', async () => {
    const seen: string[] = []
    await proxied.declare([queue()])
    proxy.cut()
    await until('it noticed', () => !proxied.ready())
    await deleteQueue(broker.prefix + name)
    proxy.pass()
    await until('it is ready', () => proxied.ready())
    const [event] = batch(1)

    await proxied.publish([event!])

    await direct.subscribe(queue(), async ({ id }) => void seen.push(id))
    await until('it arrived', () => seen.length === 1)
  })

  it('says so when the broker refuses a declared queue', async () => {
    await direct.subscribe(queue(), async () => {})

    await assert.rejects(proxied.declare([{ ...queue(), singleActive: true }]), /PRECONDITION_FAILED/)
  })

  it('ends a declaration that waits for its broker when it is closed', async () => {
    proxy.cut()
    await until('it noticed', () => !proxied.ready())
    const declared = proxied.declare([queue()])

    await Promise.all([assert.rejects(declared, /closed/), proxied.close()])
  })

  it('is not ready and rejects while the broker cannot be reached', async () => {
    proxy.cut()
    await until('it noticed', () => !proxied.ready())

    await assert.rejects(proxied.publish(batch(1)), /[Nn]o connection|lost/)

    proxy.pass()
    await until('it is ready', () => proxied.ready())
  })

  it('waits for a connection that comes back soon', async () => {
    proxy.reset()
    await until('it noticed', () => !proxied.ready())

    await proxied.publish(batch(1))
  })

  it('gets every message to a consumer whose connection breaks again and again', async () => {
    const seen = new Set<string>()
    await proxied.subscribe({ ...queue(), prefetch: 20 }, async event => {
      await sleep(2)
      seen.add(event.id)
    })
    const messages = batch(600)
    await direct.publish(messages)

    for (const part of [1, 2, 3, 4]) {
      await until(`part ${part} was handled`, () => seen.size >= part * 100, 30)
      proxy.reset()
    }

    await until('all were handled', () => seen.size === messages.length, 30)
  })

  it('acknowledges what overtook a message that is still being handled, and gets that one again after a crash', async () => {
    const [slow, ...others] = batch(8)
    const held = new Set([slow!, ...others.slice(-2)].map(({ event }) => event.id))
    const seen: string[] = []
    await proxied.subscribe({ ...queue(), prefetch: 3 }, async ({ id }) => {
      seen.push(id)
      if (held.has(id) && seen.filter(one => one === id).length === 1) await new Promise(() => {})
    })
    await direct.publish([slow!, ...others])
    // no more than three are unacknowledged, and these three are held
    await until('all were handed out', () => seen.length === 8)

    proxy.reset()

    await until('the held ones came again', () => seen.length === 11)
    assert.deepEqual(new Set(seen.slice(8)), held)
  })

  it('works over a slow line', async () => {
    proxy.delay(20)
    let seen = 0
    await proxied.subscribe(queue(), async () => {
      seen++
    })

    await proxied.publish(batch(50))

    await until('all were handled', () => seen === 50)
  })

  it('closes while the line is dead', async () => {
    proxy.hold()
    const closed = proxied.close()
    await sleep(50)
    proxy.cut()

    await closed
  })

  it('consumes again when its queue was deleted', async () => {
    const seen: string[] = []
    await direct.subscribe(queue(), async event => {
      seen.push(event.id)
    })
    const admin = await connect(broker.url)
    await (await admin.createChannel()).deleteQueue(broker.prefix + name)
    await admin.close()

    await until('messages arrive again', async () => {
      await direct.publish(batch(1))
      return seen.length > 0
    })
  })

  it('refuses to subscribe to a queue that exists in another form, and stays usable', async () => {
    await direct.subscribe(queue(), async () => {})

    await assert.rejects(
      direct.subscribe({ ...queue(), singleActive: true }, async () => {}),
      /PRECONDITION/,
    )

    await direct.publish(batch(1))
  })

  it('buries a message that is no event, and can show it', async () => {
    await direct.subscribe(queue(), async () => {})
    const admin = await connect(broker.url)
    const channel = await admin.createConfirmChannel()
    channel.sendToQueue(broker.prefix + name, Buffer.from('no json'), { messageId: 'odd-1', type: 'odd' })
    await channel.waitForConfirms()
    await admin.close()

    const deadLetter = await until('it is dead', async () => (await direct.deadLetters()).find(({ queue }) => queue === name))

    assert.equal(deadLetter.id, 'odd-1')
    assert.deepEqual(deadLetter.event.data, { content: 'no json' })
    assert.match(deadLetter.reason, /JSON/)
  })

  /** Receives at least one message and dies with it. */
  async function consumeAndDie(count: number, deliveryLimit: number): Promise<string[]> {
    const script = fileURLToPath(new URL('silent-consumer.fixture.js', import.meta.url))
    const child = spawn(process.execPath, [script, broker.url, broker.prefix, name, topic, String(deliveryLimit)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const delivered: string[] = []
    const lines = createInterface({ input: child.stdout })
    for await (const line of lines) {
      delivered.push(line)
      if (delivered.length >= count) break
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
    return delivered
  }

  it('delivers again what a killed consumer had received', async () => {
    const subscription = await direct.subscribe(queue(), async () => {})
    await subscription.close()
    const messages = batch(5)
    await direct.publish(messages)
    const delivered = await consumeAndDie(5, 20)
    const seen = new Set<string>()

    await direct.subscribe(queue(), async event => {
      seen.add(event.id)
    })

    await until('all were handled', () => seen.size === 5)
    assert.deepEqual([...seen].sort(), delivered.sort())
  })

  it('buries a message on which consumers die again and again, and replays it', async () => {
    const patient = rabbitBus({ log: quiet, ...broker, service: 'patient', deliveryLimit: 1 })
    const subscription = await patient.subscribe(queue(), async () => {})
    await subscription.close()
    const [message] = batch(1)
    assert.ok(message)
    await patient.publish([message])

    await consumeAndDie(1, 1)
    await consumeAndDie(1, 1)

    const deadLetter = await until('it is dead', async () => (await patient.deadLetters()).find(({ queue }) => queue === name))
    assert.deepEqual(deadLetter.event, message.event)
    assert.match(deadLetter.reason, /delivery limit/)
    assert.ok(Math.abs(Date.parse(deadLetter.deadAt) - Date.now()) < 60_000)
    const seen: string[] = []
    await patient.subscribe(queue(), async event => {
      seen.push(event.id)
    })
    assert.equal(await patient.replay(message.event.id, name), true)
    await until('it was handled', () => seen.length === 1)
    await patient.close()
  })
})
