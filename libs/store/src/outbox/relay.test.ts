import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { type CloudEvent, event } from '@carapace/api'
import { type Bus, inProcessBus, quiet, Unroutable } from '@carapace/bus'
import { onEachMongo, type TestMongo, until } from '@carapace/testing'
import mongoose from 'mongoose'
import { z } from 'zod'
import { type AggregateStore, aggregateStore } from '../aggregate.ts'
import { type Database, openDatabase } from '../database.ts'
import { outboxEntries, outboxKey } from './entry.ts'
import { openOutbox } from './outbox.ts'
import { type Relay, startRelay } from './relay.ts'

const stepped = event('store.thing.stepped', 'id', 'For the test', { id: z.string(), step: z.number() })
interface Thing {
  id: string
  step: number
}
const step = (thing: Thing) => ({ state: { ...thing, step: thing.step + 1 }, events: [stepped.of({ id: thing.id, step: thing.step + 1 })] })

await onEachMongo('outbox relay', acquireMongo => {
  let mongo: TestMongo
  let db: Database
  let things: AggregateStore<Thing>
  let bus: Bus
  let relay: Relay | undefined
  let got: CloudEvent[]

  before(async () => {
    mongo = await acquireMongo()
  })
  after(() => mongo.close())

  beforeEach(async () => {
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}relay_${randomUUID().slice(0, 8)}` })
    things = aggregateStore<Thing>(db, { collection: 'things', resource: 'thing' })
    await db.init()
    bus = inProcessBus({ log: quiet })
    got = []
    await bus.subscribe({ name: 'carapace.test', exchange: 'events', bindings: ['store.#'] }, async received => void got.push(received))
  })
  afterEach(async () => {
    await relay?.close()
    relay = undefined
    await bus.close()
    await db.close()
  })

  const start = (options: { bus?: Bus; sweepMs?: number; exclusive?: boolean; window?: number } = {}) => {
    relay = startRelay(db, options.bus ?? bus, { source: '/carapace/store', sweepMs: 50, retryMs: 50, ...options })
    return relay
  }
  const pending = () => db.connection.collection('things').countDocuments({ pending: true })
  const make = () => things.create({ id: randomUUID(), step: 0 }, [])

  /** The claims and clears of outboxes from now on, by name. */
  const countedCalls = (): string[] => {
    const calls: string[] = []
    const collection = db.connection.collection('things')
    for (const name of ['findOneAndUpdate', 'updateMany'] as const) {
      const call = collection[name].bind(collection) as (...args: unknown[]) => unknown
      Object.assign(collection, {
        [name]: (...args: unknown[]) => {
          calls.push(name)
          return call(...args)
        },
      })
    }
    return calls
  }

  it('sends each event once, in order per document, and empties the outbox', async () => {
    start()
    const ids = (await Promise.all(Array.from({ length: 10 }, make))).map(thing => thing.id)

    for (let round = 0; round < 5; round++) await Promise.all(ids.map(id => things.change(id, step)))

    await until('all are sent', async () => got.length === 50 && (await pending()) === 0)
    for (const id of ids) {
      const own = got.filter(received => received.subject === id)
      assert.deepEqual(
        own.map(received => received.data.step),
        [1, 2, 3, 4, 5],
      )
      assert.deepEqual(
        own.map(received => received.aggregateversion),
        [2, 3, 4, 5, 6],
      )
    }
  })

  it('sends what a process that died between write and send left unsent', async () => {
    const { id } = await make()
    await things.change(id, step)
    await db.connection.collection('things').updateMany({}, { $set: { lease: { token: 'a dead process', until: new Date(Date.now() - 1) } } })

    start()

    await until('it is sent', () => got.some(received => received.subject === id))
  })

  it('waits for the lease of another living process', async () => {
    const { id } = await make()
    await things.change(id, step)
    await db.connection.collection('things').updateMany({}, { $set: { lease: { token: 'another', until: new Date(Date.now() + 60_000) } } })

    await start().sweep()

    assert.equal(got.length, 0)
    await db.connection.collection('things').updateMany({}, { $set: { 'lease.until': new Date(0) } })
    await until('it is sent after the lease', () => got.length === 1)
  })

  it('acquires no lease when it has the database alone', async () => {
    const { id } = await make()
    await things.change(id, step)
    await db.connection.collection('things').updateMany({}, { $set: { lease: { token: 'former life', until: new Date(Date.now() + 60_000) } } })

    start({ exclusive: true })

    await until('it is sent', () => got.length === 1)
  })

  it('preserves events while the bus refuses them and sends them later', async () => {
    let refusing = true
    const moody: Bus = { ...bus, publish: messages => (refusing ? Promise.reject(new Error('no broker')) : bus.publish(messages)) }
    start({ bus: moody })
    const { id } = await make()
    await things.change(id, step)
    await until('it was tried and kept', async () => (await pending()) === 1)

    refusing = false

    await until('it is sent', async () => got.length === 1 && (await pending()) === 0)
  })

  it('sends what the bus refused soon, however seldom it sweeps, and sweeps all collections by one call', async () => {
    aggregateStore<Thing>(db, { collection: 'others', resource: 'other' })
    let refusing = true
    const moody: Bus = { ...bus, publish: messages => (refusing ? Promise.reject(new Error('no broker')) : bus.publish(messages)) }
    const commands: string[] = []
    relay = startRelay(db, moody, { source: '/carapace/store', sweepMs: 3_600_000, retryMs: 20 })
    await relay.sweep()
    const { id } = await make()
    await things.change(id, step)
    await until('it was tried', async () => (await pending()) === 1)

    refusing = false

    await until('it is sent', async () => got.length === 1 && (await pending()) === 0)
    const { aggregate } = mongoose.mongo.Collection.prototype
    mongoose.mongo.Collection.prototype.aggregate = function (this: mongoose.mongo.Collection, ...args: Parameters<typeof aggregate>) {
      commands.push(this.collectionName)
      return aggregate.apply(this, args)
    } as typeof aggregate
    await relay.sweep().finally(() => {
      mongoose.mongo.Collection.prototype.aggregate = aggregate
    })
    assert.deepEqual([commands.length, db.outboxes.size], [1, 2])
  })

  it('preserves events that match no queue, delays no other document for them, and sends them once there is a queue', async () => {
    const errors: unknown[] = []
    relay = startRelay(db, bus, { source: '/carapace/store', sweepMs: 50, retryMs: 50, window: 1, onError: error => errors.push(error) })
    const commanding = (thing: Thing) => ({
      state: thing,
      events: [{ ...stepped.of(thing), exchange: 'commands' as const, routingKey: 'store.command' }],
    })
    // A sweep reads four documents at a time.
    const stuck = await Promise.all([0, 1, 2, 3, 4].map(n => things.create({ id: `${n}${randomUUID()}`, step: 0 }, [])))
    for (const { id } of stuck) await things.change(id, commanding)
    await until('all were refused', () => errors.filter(error => error instanceof Unroutable).length >= 5)
    const { id } = await things.create({ id: `z${randomUUID()}`, step: 0 }, [])
    await db.connection
      .collection<{ _id: string }>('things')
      .updateOne({ _id: id }, { $set: { pending: true, outbox: outboxEntries(db, [stepped.of({ id, step: 1 })], 2, new Date()) } })

    await until(
      'what a dead process left is sent, and nothing else',
      async () => got.some(({ subject }) => subject === id) && (await pending()) === 5,
    )

    await bus.subscribe({ name: 'carapace.commands', exchange: 'commands', bindings: ['store.command'] }, async received => void got.push(received))
    await until('all are sent', async () => (await pending()) === 0 && stuck.every(thing => got.some(({ subject }) => subject === thing.id)))
  })

  it('sends events that matched no queue after their rest, also when another document of the collection failed meanwhile', async () => {
    const [resting, failing] = await Promise.all([make(), make()])
    let [refusals, failures] = [2, 1]
    const moody: Bus = {
      ...bus,
      publish: async messages => {
        const { subject, type } = messages[0]!.event
        if (subject === failing.id && failures-- > 0) throw new Error('no broker')
        if (subject !== resting.id || refusals-- <= 0) return bus.publish(messages)
        // its second rest is longer than the pause after the failure
        if (refusals === 0) await things.change(failing.id, step)
        throw new Unroutable(type)
      },
    }
    relay = startRelay(db, moody, { source: '/carapace/store', sweepMs: 3_600_000, retryMs: 200 })
    await relay.sweep()

    await things.change(resting.id, step)

    await until('both are sent', async () => new Set(got.map(({ subject }) => subject)).size === 2 && (await pending()) === 0)
  })

  it('renews its lease while a publish lasts longer than one', async function () {
    this.timeout(60_000)
    let finish = () => {}
    const slow: Bus = {
      ...bus,
      inOrder: false,
      publish: messages => new Promise<void>(resolve => (finish = resolve)).then(() => bus.publish(messages)),
    }
    start({ bus: slow })
    const { id } = await make()
    await things.change(id, step)
    const written = Date.now()
    const lease = () =>
      db.connection
        .collection<{ lease?: { until: Date } }>('things')
        .findOne({})
        .then(thing => thing?.lease?.until.getTime() ?? 0)

    await until('its lease was renewed', async () => (await lease()) > written + 11_000, 20)

    finish()
    await until('it is sent', async () => got.length === 1 && (await pending()) === 0)
  })

  it('sends what is written while it sends without reading it, and empties the outbox once', async () => {
    let finish = () => {}
    const published: number[] = []
    const slow: Bus = {
      ...bus,
      inOrder: false,
      publish: async messages => {
        published.push(messages.length)
        if (published.length === 1) await new Promise<void>(resolve => (finish = resolve))
        await bus.publish(messages)
      },
    }
    start({ bus: slow })
    const { id } = await make()
    const calls = countedCalls()

    await things.change(id, step)
    await until('it is on its way', () => published.length === 1)
    await things.change(id, thing => ({ state: thing, events: [] }))
    await things.change(id, step)
    await things.change(id, step)
    finish()

    await until('all are sent', async () => got.length === 3 && (await pending()) === 0)
    assert.deepEqual(
      got.map(received => [received.data.step, received.aggregateversion]),
      [
        [1, 2],
        [2, 4],
        [3, 5],
      ],
    )
    assert.deepEqual([published, calls], [[1, 2], ['updateMany']])
  })

  it('sends the next event while the one before is being handled, where the bus preserves the order', async () => {
    let finish = () => {}
    await bus.subscribe({ name: 'carapace.slow', exchange: 'events', bindings: ['store.#'] }, async ({ data }) => {
      if (data.step === 1) await new Promise<void>(resolve => (finish = resolve))
    })
    start()
    const { id } = await make()

    await things.change(id, step)
    await until('the first is being handled', () => got.length === 1)
    await things.change(id, step)

    await until('the second was handled', () => got.length === 2)
    assert.deepEqual([got.map(({ data }) => data.step), await pending()], [[1, 2], 1])
    finish()
    await until('the outbox is empty', async () => (await pending()) === 0)
  })

  it('empties an outbox once, although its document was written without an event after it was sent', async () => {
    const started = start()
    const { id } = await make()
    const calls = countedCalls()

    await things.change(id, step)
    await until('it is sent', () => got.length === 1)
    await things.change(id, thing => ({ state: thing, events: [] }))
    await until('its outbox is empty', async () => (await pending()) === 0)

    await started.close()
    // by that write, or where the relay came first, by its own
    assert.ok(calls.length <= 1 && calls.every(name => name === 'updateMany'), calls.join())
  })

  it('leaves it to the next write without an event to empty an outbox that was sent', async () => {
    const started = start({ exclusive: true, sweepMs: 60_000 })
    const { id } = await make()
    const calls = countedCalls()
    await things.change(id, step)
    await until('it waits to be emptied', () => db.sentOutboxes.size === 1)

    await things.change(id, thing => ({ state: thing, events: [] }))

    assert.equal(await pending(), 0)
    await until('it waits no longer', () => db.sentOutboxes.size === 0)
    await things.change(id, step)
    await until('the next event is sent', () => got.length === 2)
    await started.close()
    assert.deepEqual([calls, await pending()], [['updateMany'], 0])
  })

  it('leaves events in an outbox that another process has added to those that were sent', async () => {
    const { id } = await make()
    await things.change(id, step)
    db.sentOutboxes.set(outboxKey('things', id), new Set([randomUUID()]))

    await things.change(id, thing => ({ state: { ...thing, step: 7 }, events: [] }))

    assert.equal(await pending(), 1)
    start()
    await until('it is sent', () => got.length === 1)
    assert.equal((await things.need(id)).step, 7)
  })

  it('removes what was sent from the outbox of a document that is written to all the time', async () => {
    const { id } = await make()
    const most = 1_000
    const perWrite = 0.6 * most
    const many = (thing: Thing) => ({ state: thing, events: Array.from({ length: perWrite }, () => stepped.of(thing)) })
    const outboxOf = async () => (await db.connection.collection<{ _id: string; outbox: unknown[] }>('things').findOne({ _id: id }))!.outbox.length
    let [published, left] = [0, 0]
    const busy: Bus = {
      ...bus,
      publish: async messages => {
        // the next write comes before these are confirmed
        if (++published < 4) await things.change(id, many)
        else left = await outboxOf()
        await bus.publish(messages)
      },
    }
    start({ bus: busy })

    await things.change(id, step)

    await until('all are sent', () => got.length === 1 + 3 * perWrite)
    assert.equal(left, perWrite)
    await until('the outbox is empty', async () => (await outboxOf()) === 0)
  })

  it('sends each event where its write came from, also one of a document whose outbox is not empty yet', async () => {
    const origin = new AsyncLocalStorage<string>()
    const published: (string | undefined)[] = []
    const noting: Bus = {
      ...bus,
      publish: messages => {
        published.push(origin.getStore())
        return bus.publish(messages)
      },
    }
    start({ bus: noting, window: 1 })
    const [{ id }, other] = [await make(), await make()]

    await origin.run('first', () => things.change(id, step))
    await until('it is sent', () => published.length === 1)
    await origin.run('second', () => things.change(id, step))
    await origin.run('third', () => things.change(other.id, step))

    await until('all are sent', () => got.length === 3)
    assert.deepEqual(published, ['first', 'second', 'third'])
  })

  it('empties the outboxes of several documents together, and nothing is late meanwhile', async () => {
    const started = start({ exclusive: true, sweepMs: 60_000 })
    const [first, second] = [await make(), await make()]
    const calls: unknown[] = []
    const collection = db.connection.collection('things')
    const { updateMany } = collection
    collection.updateMany = ((...args: Parameters<typeof updateMany>) => {
      calls.push(args)
      return updateMany.apply(collection, args)
    }) as typeof updateMany

    await things.change(first.id, step)
    await until('it is sent', () => got.length === 1)
    await things.change(second.id, step)
    await until('both are sent', () => got.length === 2)

    assert.deepEqual([await pending(), await started.lagSeconds(), calls.length], [2, 0, 0])
    await until('the outboxes are empty', async () => (await pending()) === 0)
    assert.equal(calls.length, 1)
  })

  it('sends what another process wrote meanwhile to a document that it sends', async () => {
    let finish = () => {}
    const published: number[] = []
    const slow: Bus = {
      ...bus,
      inOrder: false,
      publish: async messages => {
        published.push(messages.length)
        if (published.length === 1) await new Promise<void>(resolve => (finish = resolve))
        await bus.publish(messages)
      },
    }
    start({ bus: slow })
    const other = await openDatabase({ uri: mongo.uri, name: db.name })
    const theirs = aggregateStore<Thing>(other, { collection: 'things', resource: 'thing' })
    const { id } = await make()

    await things.change(id, step)
    await until('it is on its way', () => published.length === 1)
    await theirs.change(id, step)
    await things.change(id, step)
    finish()

    await until('all are sent', async () => got.length === 3 && (await pending()) === 0)
    await other.close()
    assert.deepEqual(
      got.map(received => received.data.step),
      [1, 2, 3],
    )
  })

  it('sends nothing again that was emptied while a sweep read it', async () => {
    const { sweep } = start({ exclusive: true, sweepMs: 60_000, window: 1 })
    const [first, second, third] = [await make(), await make(), await make()]
    const collection = db.connection.collection('things')
    const { aggregate } = collection
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    let read = 0
    collection.aggregate = ((...args: Parameters<typeof aggregate>) => ({
      toArray: async () => {
        const found = await aggregate.apply(collection, args).toArray()
        read = found.length
        await released
        return found
      },
    })) as unknown as typeof aggregate
    await things.change(first.id, step)
    await until('it is sent', () => got.length === 1)

    const swept = sweep()
    await until('the sweep has read it', () => read === 1)
    await things.change(first.id, thing => ({ state: { ...thing, step: thing.step + 1 }, events: [] }))
    await until('it is emptied', async () => (await pending()) === 0)
    await things.change(second.id, step)
    await until('the other one is sent', () => got.length === 2)
    release()
    await swept
    // what the sweep found would be sent first
    await things.change(third.id, step)

    await until('what followed is sent', () => got.some(({ subject }) => subject === third.id))
    assert.deepEqual(
      got.map(({ subject }) => subject),
      [first.id, second.id, third.id],
    )
  })

  it('lets no document wait for the outboxes of others that were sent', async () => {
    start({ sweepMs: 60_000, window: 2 })
    const sentWithinMs = async (): Promise<number> => {
      const ids = (await Promise.all(Array.from({ length: 12 }, make))).map(thing => thing.id)
      const expected = got.length + ids.length
      const startedAt = performance.now()
      await Promise.all(ids.map(id => things.change(id, step)))
      await until('all are sent', () => got.length === expected)
      return performance.now() - startedAt
    }

    // six times two outboxes, of which each would wait half a second, every time; a busy machine is slow now and then
    await until('no outbox waits', async () => (await sentWithinMs()) < 2_500)
  })

  it('sends other documents while a slow database empties outboxes', async () => {
    start({ sweepMs: 60_000, window: 1 })
    const collection = db.connection.collection('things')
    const { updateMany } = collection
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    collection.updateMany = (async (...args: Parameters<typeof updateMany>) => {
      await released
      return updateMany.apply(collection, args)
    }) as typeof updateMany
    const ids = (await Promise.all(Array.from({ length: 5 }, make))).map(thing => thing.id)

    await Promise.all(ids.map(id => things.change(id, step)))

    await until('all are sent', () => got.length === 5)
    assert.equal(await pending(), 5)
    release()
    await until('all outboxes are empty', async () => (await pending()) === 0)
  })

  it('goes on with every document when the outboxes of a batch could not be emptied', async () => {
    start()
    const collection = db.connection.collection('things')
    const ids = (await Promise.all(Array.from({ length: 5 }, make))).map(thing => thing.id)
    const { updateMany } = collection
    let clears = 0
    collection.updateMany = (...args: Parameters<typeof updateMany>) => {
      const empties = args[0] !== undefined && 'outbox' in args[0]
      return empties && clears++ === 0 ? Promise.reject(new Error('no database')) : updateMany.apply(collection, args)
    }

    await Promise.all(ids.map(id => things.change(id, step)))

    await until('all outboxes are empty', async () => clears > 1 && (await pending()) === 0)
    assert.equal(new Set(got.map(received => received.subject)).size, 5)
  })

  it('sends what is on its way before it closes, and closes although the bus does not answer', async function () {
    this.timeout(60_000)
    const relays = [start({ sweepMs: 10_000 })]
    const ids = (await Promise.all(Array.from({ length: 300 }, make))).map(thing => thing.id)
    await Promise.all(ids.map(id => things.change(id, step)))
    await relays[0]!.close()
    assert.equal(got.length, 300)

    const silent = start({ bus: { ...bus, publish: () => new Promise<void>(() => {}) } })
    await things.change(ids[0]!, step)
    await silent.close()

    assert.equal(await pending(), 1)
  })

  it('sends what a transaction committed and nothing of one that aborted', async () => {
    start()
    const { id } = await make()
    await db.transaction(async session => void (await things.change(id, step, { session })))
    await db.transaction(session => things.change(id, step, { session }).then(() => Promise.reject(new Error('no')))).catch(() => undefined)

    await until('the committed one is sent', async () => got.length === 1 && (await pending()) === 0)
    assert.equal(got[0]?.data.step, 1)
  })

  it('forgets events without an aggregate once they are sent', async () => {
    const emit = openOutbox(db)
    start()

    await emit([stepped.of({ id: 'x', step: 9 })])

    await until('it is sent and gone', async () => got.length === 1 && (await db.connection.collection('outbox').countDocuments()) === 0)
  })
})
