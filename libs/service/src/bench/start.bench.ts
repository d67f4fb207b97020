import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { acquireBroker, acquireMongo } from '@carapace/testing'
import { internalKey } from '../things.fixture.ts'

/**
 * From the start of the process to the line that says a service is ready, with a broker and a database that run: the test service, each time on a
 * database that exists. CPU time stands beside it, since a busy machine stretches the wall clock; so does the start of an empty node for comparison.
 */
const rounds = 9
const clockTick = 10

const [broker, mongo] = [await acquireBroker(), await acquireMongo()]
const empty: Taken[] = []
const service: Taken[] = []
for (let round = 0; round <= rounds; round++) {
  const node = await measure(['-e', 'console.log("ready");setTimeout(() => {}, 60_000)'])
  const own = await measure([fileURLToPath(new URL('../run.fixture.js', import.meta.url))])
  // the first round makes the database
  if (round === 0) continue
  empty.push(node)
  service.push(own)
}
console.log(`empty node: ${show(empty)}`)
console.log(`service until ready: ${show(service)} (wanted: at most 500 ms)`)
await mongo.close()
await broker.stop()

interface Taken {
  wall: number
  cpu: number
}

async function measure(args: string[]): Promise<Taken> {
  const env = { PATH: process.env.PATH, PORT: '0', INTERNAL_KEY: internalKey, AMQP_URL: broker.url, MONGODB_URI: mongo.uri, DB_PREFIX: mongo.prefix }
  const start = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await saysReady(child)
  const taken = { wall: performance.now() - start, cpu: cpuMs(child.pid!) }
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  return taken
}

function saysReady(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    child.stdout?.on('data', chunk => {
      if (String(chunk).includes('ready')) resolve()
    })
  })
}

/** User and system time of a process so far, as Linux counts it. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * clockTick
}

function show(taken: Taken[]): string {
  const median = (of: (one: Taken) => number) =>
    taken
      .map(of)
      .toSorted((a, b) => a - b)
      [taken.length >> 1]!.toFixed(0)
  return `${median(({ wall }) => wall)} ms, CPU time ${median(({ cpu }) => cpu)} ms, median of ${taken.length}`
}
