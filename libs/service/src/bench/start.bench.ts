import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { queuesOf } from '@carapace/api'
import { inProcessBus } from '@carapace/bus'
import { acquireBroker, acquireMongo, cpuSeconds, median } from '@carapace/testing'
import { readConfig } from '../config/config.ts'
import { startService } from '../start/start-service.ts'
import { makeLog } from '../telemetry/log.ts'
import { internalKey, newHarness, things, thingsApi } from '../testing/things.fixture.ts'

/**
 * The start of the test service on a database that exists. As a process of its own: from its start to the line that says it is ready, with a broker that
 * runs; most of it is the loading of modules. And in a process that has them loaded, as the embedded start does it: `startService` to its end.
 * CPU time is printed next to it, since a busy machine stretches the wall clock; so does the start of an empty node for comparison.
 */
const rounds = 9
const quiet = makeLog({ process: 'bench', level: 'silent' })

const [broker, mongo] = [await acquireBroker(), await acquireMongo()]
const empty: Duration[] = []
const service: Duration[] = []
const inProcess: Duration[] = []
for (let round = 0; round <= rounds; round++) {
  const node = await measure(['-e', 'console.log("ready");setTimeout(() => {}, 60_000)'])
  const own = await measure([fileURLToPath(new URL('../testing/run.fixture.js', import.meta.url))])
  const embedded = await measureInProcess()
  // the first round makes the databases
  if (round === 0) continue
  empty.push(node)
  service.push(own)
  inProcess.push(embedded)
}
console.log(`empty node: ${show(empty)}`)
console.log(`service as a process, until ready: ${show(service)}`)
console.log(`service in a running process: ${show(inProcess)} (wanted: at most 500 ms)`)
await mongo.close()
await broker.stop()

interface Duration {
  wall: number
  cpu: number
}

async function measure(args: string[]): Promise<Duration> {
  const env = { PATH: process.env.PATH, PORT: '0', INTERNAL_KEY: internalKey, AMQP_URL: broker.url, MONGODB_URI: mongo.uri, DB_PREFIX: mongo.prefix }
  const start = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await saysReady(child)
  const duration = { wall: performance.now() - start, cpu: cpuSeconds(child.pid!) * 1_000 }
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  return duration
}

async function measureInProcess(): Promise<Duration> {
  const bus = inProcessBus({ log: quiet })
  const [start, before] = [performance.now(), process.cpuUsage()]
  const config = { ...readConfig({}), DB_PREFIX: `${mongo.prefix}own_` }
  const running = await startService(things(newHarness()), {
    config,
    mongoUri: mongo.uri,
    bus,
    queues: queuesOf([thingsApi]),
    internalKey,
    address: () => 'http://127.0.0.1:9',
    log: quiet,
  })
  const { user, system } = process.cpuUsage(before)
  const duration = { wall: performance.now() - start, cpu: (user + system) / 1000 }
  await running.close()
  await bus.close()
  return duration
}

function saysReady(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    child.stdout?.on('data', chunk => {
      if (String(chunk).includes('ready')) resolve()
    })
  })
}

function show(durations: Duration[]): string {
  const ms = (values: number[]) => `${median(values).toFixed(0)} ms`
  return `${ms(durations.map(({ wall }) => wall))}, CPU time ${ms(durations.map(({ cpu }) => cpu))}, median of ${durations.length}`
}
