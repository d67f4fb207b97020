import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { event } from '@carapace/api'
import { type Bus, quiet, rabbitBus } from '@carapace/bus'
import { start } from '@carapace/embedded-mongo'
import { z } from 'zod'
import { aggregateStore, type Decision, openDatabase, startRelay } from '../index.ts'

/**
 * The publisher process of the bus's torture run (libs/bus/src/torture), with the real outbox: aggregates in an embedded engine of its own, which dies
 * with it, and the relay. Prints `confirmed <events>`, ends with 0 when all events are written and sent. What an aggregate has published is its state,
 * so a start goes on where the last write ended.
 */
interface Thing {
  id: string
  /** How many of its events were written. */
  published: number
}

const [url = '', prefix = '', folder = '', totalText = '0'] = process.argv.slice(2)
const total = Number(totalText)
const aggregates = 400
const eventsPerChange = 5
const lanes = 40
const happened = event('torture.thing.happened', 'id', 'For the torture run', { id: z.string(), n: z.number() })

const engine = await start({ path: path.join(folder, 'outboxes') })
const db = await openDatabase({ uri: engine.uri, name: 'torture' })
const things = aggregateStore<Thing>(db, { collection: 'things', resource: 'thing' })
await db.init()
const bus = rabbitBus({ log: quiet, url, prefix, service: 'torture-publisher' })
const relay = startRelay(db, counted(bus), { source: '/carapace/torture', exclusive: true })
const collection = db.connection.collection<{ published: number; outbox: unknown[] }>('things')
let sent = await sentBefore()

const open = Array.from({ length: aggregates }, (_, number) => number)
await Promise.all(Array.from({ length: lanes }, writeAll))
while ((await collection.countDocuments({ pending: true })) > 0) await sleep(50)
await relay.close()
await bus.close()
await db.close()
await engine.close()

async function writeAll(): Promise<void> {
  for (let number = open.shift(); number !== undefined; number = open.shift()) {
    const id = `thing-${number}`
    // aggregate k has the events k, k + 400, k + 800 …
    const own = Math.ceil((total - number) / aggregates)
    let thing = (await things.get(id)) ?? (await things.create({ id, published: 0 }, []))
    while (thing.published < own) thing = await things.change(id, before => publishSome(before, number, own))
  }
}

function publishSome(thing: Thing, number: number, own: number): Decision<Thing> {
  const until = Math.min(own, thing.published + eventsPerChange)
  const events = []
  for (let at = thing.published; at < until; at++) events.push(happened.of({ id: thing.id, n: number + at * aggregates }))
  return { state: { id: thing.id, published: until }, events }
}

async function sentBefore(): Promise<number> {
  const found = await collection.find({}, { projection: { published: 1, outbox: 1 } }).toArray()
  return found.reduce((sum, thing) => sum + thing.published - thing.outbox.length, 0)
}

/** Reports what the broker has confirmed; a repeated event may count twice, which only hurries the next kill. */
function counted(inner: Bus): Bus {
  return {
    ...inner,
    publish: async messages => {
      await inner.publish(messages)
      sent += messages.length
      process.stdout.write(`confirmed ${Math.min(total, sent)}\n`)
    },
  }
}
