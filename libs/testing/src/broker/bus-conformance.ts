import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CloudEvent } from '@carapace/api'
import { type Bus, type Delivery, type Outgoing, Retry, type RetryPolicy, Unroutable } from '@carapace/bus'
import { until } from '../until.ts'

/** Quick enough for tests; suites may rely on these figures. */
export const testRetry: RetryPolicy = { delaysMs: [30, 60], limit: 3 }

/** An event as a publisher hands it over. */
export function outgoing(type: string, over: Partial<CloudEvent> = {}, exchange: Outgoing['exchange'] = 'events'): Outgoing {
  const event: CloudEvent = {
    specversion: '1.0',
    id: randomUUID(),
    source: '/carapace/test',
    type,
    subject: 'subject-1',
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    aggregateversion: 1,
    data: {},
    ...over,
  }
  return { exchange, routingKey: type, event }
}

/** A name that no other test has. */
export const unique = (what: string) => `${what}-${randomUUID().slice(0, 8)}`

interface Seen {
  event: CloudEvent
  delivery: Delivery
  at: number
}

function recorder() {
  const seen: Seen[] = []
  return {
    seen,
    ids: () => seen.map(({ event }) => event.id),
    handler: async (event: CloudEvent, delivery: Delivery) => {
      seen.push({ event, delivery, at: performance.now() })
    },
  }
}

/**
 * What every driver of the bus must do, as mocha tests. `open` makes a bus with `testRetry` that this suite closes.
 * @example busConformance('RabbitMQ', () => rabbitBus({ url: broker.url, service: 'test', retry: testRetry, log: quiet }))
 */
export function busConformance(name: string, open: () => Bus | Promise<Bus>): void {
  describe(`bus: ${name}`, () => {
    let bus: Bus
    /** Its events are seen by no other test. */
    let topic: string
    let queueName: string

    beforeEach(async () => {
      bus = await open()
      topic = unique('topic')
      queueName = unique('carapace.test')
    })
    afterEach(() => bus.close())

    const queue = (over = {}) => ({ name: queueName, exchange: 'events' as const, bindings: [`${topic}.#`], ...over })
    const batch = (count: number) => Array.from({ length: count }, (_, n) => outgoing(`${topic}.happened.v1`, { data: { n } }))
    const idsOf = (messages: readonly Outgoing[]) => messages.map(({ event }) => event.id)
    const dead = async () => (await bus.deadLetters(10_000)).filter(({ queue }) => queue === queueName)

    it('delivers an event as it was published', async () => {
      const inbox = recorder()
      const message = outgoing(`${topic}.happened.v1`, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, data: { deep: [1, { ü: null }] } })
      await bus.subscribe(queue(), inbox.handler)

      await bus.publish([message])

      await until('the event arrived', () => inbox.seen.length === 1)
      assert.deepEqual(inbox.seen[0]?.event, message.event)
      assert.deepEqual(inbox.seen[0]?.delivery, { attempt: 1 })
    })

    it('delivers an event to every queue that is bound to it', async () => {
      const inboxes = [recorder(), recorder(), recorder()]
      for (const [n, inbox] of inboxes.entries()) await bus.subscribe(queue({ name: `${queueName}.${n}` }), inbox.handler)
      const messages = batch(5)

      await bus.publish(messages)

      for (const inbox of inboxes) await until('all arrived', () => inbox.seen.length === 5)
      for (const inbox of inboxes) assert.deepEqual(inbox.ids(), idsOf(messages))
    })

    it('gives the handlers of different queues objects of their own', async () => {
      const inbox = recorder()
      await bus.subscribe(queue({ name: `${queueName}.a` }), async event => {
        event.data.spoiled = true
      })
      await bus.subscribe(queue({ name: `${queueName}.b` }), inbox.handler)

      await bus.publish(batch(1))

      await until('it arrived', () => inbox.seen.length === 1)
      assert.deepEqual(inbox.seen[0]?.event.data, { n: 0 })
    })

    it('shares the messages of one queue between its consumers, each to one of them', async () => {
      const inboxes = [recorder(), recorder()]
      const slow = (inbox: ReturnType<typeof recorder>) => async (event: CloudEvent, delivery: Delivery) => {
        await inbox.handler(event, delivery)
        await sleep(2)
      }
      for (const inbox of inboxes) await bus.subscribe(queue({ prefetch: 1 }), slow(inbox))
      const messages = batch(40)

      await bus.publish(messages)

      const all = () => inboxes.flatMap(inbox => inbox.ids())
      await until('all arrived', () => all().length >= 40)
      assert.deepEqual(all().sort(), idsOf(messages).sort())
      for (const inbox of inboxes) assert.ok(inbox.seen.length > 0, 'each consumer had a share')
    })

    it('counts the messages that no consumer has yet', async () => {
      await bus.declare([queue()])
      assert.equal(await bus.waiting(queueName), 0)
      const held: (() => void)[] = []
      const hold = () => new Promise<void>(resolve => held.push(resolve))
      await bus.subscribe(queue({ prefetch: 1 }), hold)

      const published = bus.publish(batch(3))

      await until('one is handed out and two wait', async () => held.length === 1 && (await bus.waiting(queueName)) === 2)
      await until('all are handled', async () => {
        for (const release of held.splice(0)) release()
        return (await bus.waiting(queueName)) === 0
      })
      for (const release of held) release()
      await published
    })

    it('binds by words: * is one, # is none or more', async () => {
      const inbox = recorder()
      await bus.subscribe(queue({ bindings: [`${topic}.*.v1`, `${topic}.deep.#`] }), inbox.handler)
      const wanted = ['one.v1', 'deep', 'deep.a', 'deep.a.b.v2'].map(key => outgoing(`${topic}.${key}`))
      const others = ['one.two.v1', 'one.v2', 'v1', 'deeper.a'].map(key => outgoing(`${topic}.${key}`))

      await bus.publish([...others, ...wanted])

      await until('the wanted arrived', () => inbox.seen.length >= wanted.length)
      assert.deepEqual(inbox.ids(), idsOf(wanted))
    })

    it('preserves for a declared queue what is published before its first consumer', async () => {
      const inbox = recorder()
      const messages = batch(3)
      await bus.declare([queue()])

      const published = bus.publish(messages)
      await bus.subscribe(queue(), inbox.handler)
      await published

      await until('all arrived', () => inbox.seen.length === 3)
      assert.deepEqual(inbox.ids(), idsOf(messages))
    })

    it('publishes nothing before the queues exist whose declaration was requested', async () => {
      const inbox = recorder()
      const messages = batch(3)

      const declared = bus.declare([queue()])
      const published = bus.publish(messages)
      await declared
      await bus.subscribe(queue(), inbox.handler)
      await published

      await until('all arrived', () => inbox.seen.length === 3)
      assert.deepEqual(inbox.ids(), idsOf(messages))
    })

    it('adds bindings to a queue that was declared before', async () => {
      const inbox = recorder()
      const [first, second] = [outgoing(`${topic}.first.v1`), outgoing(`${topic}.second.v1`)]
      await bus.declare([queue({ bindings: [first.routingKey] })])
      await bus.declare([queue({ bindings: [second.routingKey] })])
      await bus.subscribe(queue({ bindings: [] }), inbox.handler)

      await bus.publish([first, second])

      await until('both arrived', () => inbox.seen.length === 2)
    })

    it('preserves a command for a declared queue with one active consumer', async () => {
      const inbox = recorder()
      const key = `chain.${topic}`
      const spec = queue({ exchange: 'commands', bindings: [key], singleActive: true })
      const command = outgoing(key, {}, 'commands')
      await bus.declare([spec])

      const published = bus.publish([command])
      await bus.subscribe({ ...spec, prefetch: 500 }, inbox.handler)
      await published

      await until('it arrived', () => inbox.seen.length === 1)
      assert.equal(inbox.seen[0]?.event.id, command.event.id)
    })

    it('confirms an event that no queue is bound to', async () => {
      await bus.publish(batch(1))
    })

    it('sends a command to the queue of its key and refuses one that no queue accepts', async () => {
      const inbox = recorder()
      const key = `chain.${topic}`
      await bus.subscribe(queue({ exchange: 'commands', bindings: [key] }), inbox.handler)
      const command = outgoing(key, {}, 'commands')

      await bus.publish([command])

      await until('the command arrived', () => inbox.seen.length === 1)
      assert.equal(inbox.seen[0]?.event.id, command.event.id)
      await assert.rejects(bus.publish([outgoing(`chain.nobody.${topic}`, {}, 'commands')]), Unroutable)
      await bus.publish([outgoing(key, {}, 'commands')])
    })

    it('preserves the order of one publisher while nothing fails', async () => {
      const inbox = recorder()
      await bus.subscribe(queue(), inbox.handler)
      const messages = batch(300)

      await Promise.all([bus.publish(messages.slice(0, 100)), bus.publish(messages.slice(100, 200)), bus.publish(messages.slice(200))])

      await until('all arrived', () => inbox.seen.length >= 300)
      assert.deepEqual(inbox.ids(), idsOf(messages))
    })

    it('delivers a burst of 1,000 messages, none lost', async () => {
      const inbox = recorder()
      await bus.subscribe(queue(), inbox.handler)
      const messages = batch(1_000)

      await Promise.all(messages.map(message => bus.publish([message])))

      await until('all arrived', () => new Set(inbox.ids()).size === 1_000)
    })

    it('hands out no more than prefetch at the same time', async () => {
      let running = 0
      let most = 0
      let done = 0
      await bus.subscribe(queue({ prefetch: 3 }), async () => {
        most = Math.max(most, ++running)
        await sleep(5)
        running--
        done++
      })

      await bus.publish(batch(20))

      await until('all are handled', () => done === 20)
      assert.equal(most, 3)
    })

    it('preserves the messages of a queue without a consumer', async () => {
      const inbox = recorder()
      const first = await bus.subscribe(queue(), inbox.handler)
      await first.close()
      const messages = batch(3)

      const published = bus.publish(messages)
      await bus.subscribe(queue(), inbox.handler)
      await published

      await until('all arrived', () => inbox.seen.length === 3)
      assert.deepEqual(inbox.ids(), idsOf(messages))
    })

    it('tries a failed message again after the delay, and counts', async () => {
      const inbox = recorder()
      await bus.subscribe(queue(), async (event, delivery) => {
        await inbox.handler(event, delivery)
        if (delivery.attempt < 3) throw new Retry('not yet')
      })

      await bus.publish(batch(1))

      await until('the third attempt was made', () => inbox.seen.length === 3)
      const [first, second, third] = inbox.seen.map(({ at }) => at) as [number, number, number]
      assert.deepEqual(
        inbox.seen.map(({ delivery }) => delivery.attempt),
        [1, 2, 3],
      )
      // A millisecond is lost to rounding on either side.
      assert.ok(second - first >= 28 && third - second >= 58, `waited ${second - first} and ${third - second} ms`)
      assert.deepEqual(await dead(), [])
    })

    it('lets a failing message hold up no other', async () => {
      const inbox = recorder()
      const messages = batch(10)
      await bus.subscribe(queue({ prefetch: 1 }), async (event, delivery) => {
        if (event.data.n === 0) throw new Retry('never')
        await inbox.handler(event, delivery)
      })

      await bus.publish(messages)

      await until('the others arrived', () => inbox.seen.length === 9)
    })

    it('stores a message that failed too often as a dead letter with its reason', async () => {
      let attempts = 0
      const elsewhere = recorder()
      await bus.subscribe(queue(), async () => {
        attempts++
        throw new Error(`broken ${attempts}`)
      })
      await bus.subscribe(queue({ name: `${queueName}.other` }), elsewhere.handler)
      const [message] = batch(1) as [Outgoing]

      await bus.publish([message])

      const deadLetter = await until('it is dead', async () => (await dead())[0])
      assert.deepEqual(
        { ...deadLetter, deadAt: undefined },
        {
          id: message.event.id,
          queue: queueName,
          type: message.event.type,
          subject: 'subject-1',
          reason: 'broken 3',
          attempts: 3,
          deadAt: undefined,
          event: message.event,
        },
      )
      assert.ok(Math.abs(Date.parse(deadLetter.deadAt) - Date.now()) < 20_000)
      assert.equal(attempts, 3)
      assert.deepEqual(elsewhere.ids(), [message.event.id])
    })

    it('counts everything that a handler throws as a failure', async () => {
      const thrown = ['text', undefined, { odd: true }, new Error('')]
      await bus.subscribe(queue(), async event => {
        throw thrown[Number(event.data.n)]
      })

      await bus.publish(batch(thrown.length))

      await until('all are dead', async () => (await dead()).length === thrown.length)
      assert.deepEqual((await dead()).map(({ reason }) => reason).sort(), ['Error', '[object Object]', 'text', 'undefined'])
    })

    it('lists dead letters again and again, oldest first, as many as requested', async () => {
      await bus.subscribe(queue({ prefetch: 1 }), async () => {
        throw new Error('broken')
      })
      const messages = batch(3)
      for (const message of messages) {
        await bus.publish([message])
        await until('it is dead', async () => (await dead()).some(({ id }) => id === message.event.id))
      }

      const lists = [await dead(), await dead(), await dead()]

      for (const list of lists)
        assert.deepEqual(
          list.map(({ id }) => id),
          idsOf(messages),
        )
      assert.equal((await bus.deadLetters(2)).length, 2)
    })

    it('replays a dead letter with a fresh count of attempts', async () => {
      let isBroken = true
      const inbox = recorder()
      await bus.subscribe(queue(), async (event, delivery) => {
        if (isBroken) throw new Error('broken')
        await inbox.handler(event, delivery)
      })
      const [message] = batch(1) as [Outgoing]
      const { id } = message.event
      await bus.publish([message])
      await until('it is dead', async () => (await dead()).length === 1)
      isBroken = false

      assert.equal(await bus.replay(randomUUID()), false)
      assert.equal(await bus.replay(id, `${queueName}.other`), false)
      assert.equal(await bus.replay(id, queueName), true)

      await until('it was handled', () => inbox.seen.length === 1)
      assert.deepEqual(inbox.seen[0]?.event, message.event)
      assert.deepEqual(inbox.seen[0]?.delivery, { attempt: 1 })
      assert.deepEqual(await dead(), [])
      assert.equal(await bus.replay(id), false)
    })

    it('buries a replayed message again when it still fails', async () => {
      await bus.subscribe(queue(), async () => {
        throw new Error('broken')
      })
      const [message] = batch(1) as [Outgoing]
      await bus.publish([message])
      await until('it is dead', async () => (await dead()).length === 1)

      assert.equal(await bus.replay(message.event.id), true)

      await until('it is dead again', async () => (await dead()).length === 1)
      assert.equal((await dead())[0]?.attempts, 3)
    })

    it('has one active consumer where that is requested, and the next one follows it', async () => {
      const [first, second] = [recorder(), recorder()]
      const one = await bus.subscribe(queue({ singleActive: true }), first.handler)
      await bus.subscribe(queue({ singleActive: true }), second.handler)

      await bus.publish(batch(20))
      await until('the first had all', () => first.seen.length === 20)
      await one.close()
      await bus.publish(batch(20))

      await until('the second has the rest', () => second.seen.length === 20)
      assert.equal(first.seen.length, 20)
    })

    it('waits on close for the handlers that run', async () => {
      const handled: string[] = []
      let started = 0
      await bus.subscribe(queue(), async event => {
        started++
        await sleep(100)
        handled.push(event.id)
      })
      const messages = batch(3)
      const published = bus.publish(messages)
      await until('the handlers run', () => started === 3)

      await bus.close()

      assert.deepEqual(handled, idsOf(messages))
      await published
    })

    it('refuses to publish and is not ready once it is closed', async () => {
      await until('it is ready', () => bus.ready())
      await bus.close()

      assert.equal(bus.ready(), false)
      await assert.rejects(bus.publish(batch(1)), /closed/)
      await assert.rejects(
        bus.subscribe(queue(), async () => {}),
        /closed/,
      )
      await assert.rejects(bus.declare([queue()]), /closed/)
    })
  })
}
