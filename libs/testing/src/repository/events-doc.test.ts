import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { apis, type CloudEvent, cloudEvent, gigAssigned, gigCancelled, gigPosted, type ServiceApi } from '@carapace/api'
import { type Bus, quiet, rabbitBus } from '@carapace/bus'
import { acquireBroker, type Broker } from '../broker/broker.ts'
import { samplePayloads } from '../platform/sample.ts'
import { until } from '../until.ts'
import { pythonWithPika } from './python-with-pika.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const text = await readFile(path.join(root, 'docs/events.md'), 'utf8')

describe('docs/events.md', function () {
  this.timeout(240_000)

  it('names events and documents that there are', async () => {
    const all: ServiceApi[] = Object.values(apis)
    const types = new Set(all.flatMap(api => Object.values(api.events).map(({ type }) => type)))
    const named = [...text.matchAll(/`([a-z-]+\.[a-z-]+\.[a-z-]+\.v\d)`/g)].map(([, type]) => type!)

    assert.ok(named.length >= 3)
    assert.deepEqual(
      named.filter(type => !types.has(type)),
      [],
    )
  })

  it('has a reader in Python that knows nothing but asyncapi.json, and handles each event once', async function () {
    const folder = await mkdtemp(path.join(tmpdir(), 'carapace-events-'))
    const python = await pythonWithPika(folder)
    if (python === undefined) {
      await rm(folder, { recursive: true })
      return this.skip()
    }
    const broker: Broker = await acquireBroker()
    const bus: Bus = rabbitBus({ log: quiet, ...broker, service: 'test' })
    const reader = await startReader(python, folder, broker)
    try {
      await until('the reader listens', () => reader.lines().some(line => 'listening' in line), 60)
      const gig = randomUUID()
      const [posted, assigned, cancelled] = [eventOf(gigPosted, gig, 1), eventOf(gigAssigned, gig, 2), eventOf(gigCancelled, gig, 3)]
      const other = eventOf(gigPosted, randomUUID(), 1)
      // twice, and one that comes too late
      for (const event of [posted, posted, cancelled, assigned, { ...other, data: {} }, other]) await publish(bus, event)
      await until('the last is handled', () => reader.lines().some(({ gig: seen }) => seen === other.subject), 60)

      assert.deepEqual(
        reader.lines().filter(line => 'gig' in line),
        [
          { gig, state: 'posted' },
          { gig, state: 'cancelled' },
          { gig: other.subject, state: 'posted' },
        ],
      )
      assert.match(reader.errors(), /marketplace\.gig\.posted\.v1 failed/)
    } finally {
      reader.child.kill()
      await until('the reader has ended', () => reader.child.exitCode !== null || reader.child.signalCode !== null)
      await bus.close()
      await broker.stop()
      await rm(folder, { recursive: true })
    }
  })
})

function eventOf(declared: { type: string }, gigId: string, aggregateversion: number): CloudEvent {
  const [payload] = samplePayloads(declared.type)
  return cloudEvent(
    { type: declared.type, subject: gigId, data: { ...payload, gigId } },
    { id: randomUUID(), source: '/carapace/marketplace', time: new Date().toISOString(), aggregateversion },
  )
}

const publish = (bus: Bus, event: CloudEvent) => bus.publish([{ exchange: 'events', routingKey: event.type, event }])

/** The example of the page as it is; the document that it reads has the names of this broker's place. */
async function startReader(python: string, folder: string, broker: Broker) {
  const [, program] = /```python\n([\s\S]*?)```/.exec(text) ?? []
  const asyncapi = (await readFile(path.join(root, 'docs/asyncapi.json'), 'utf8')).replaceAll(
    '"carapace.events"',
    `"${broker.prefix}carapace.events"`,
  )
  await writeFile(path.join(folder, 'reader.py'), program!)
  await writeFile(path.join(folder, 'asyncapi.json'), asyncapi)
  const env = { ...process.env, AMQP_URL: broker.url, ASYNCAPI: 'asyncapi.json', QUEUE: `${broker.prefix}example.gig-board` }
  const child: ChildProcess = spawn(python, ['reader.py'], { cwd: folder, env })
  let [out, errors] = ['', '']
  child.stdout!.on('data', chunk => (out += chunk))
  child.stderr!.on('data', chunk => (errors += chunk))
  return {
    child,
    errors: () => errors,
    lines: () =>
      out
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as Record<string, unknown>),
  }
}
