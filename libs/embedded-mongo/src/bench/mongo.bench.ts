import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { type Child, spawnServer } from './child.ts'
import { type Operation, operations, prepare, type Target } from './operations.ts'

const rounds = Number(process.argv[2] ?? 4)
const roundMs = Number(process.argv[3] ?? 700)

interface Contestant {
  name: string
  child: Child
  target: Target
}

interface Sample {
  perSecond: number
  cpuMicros: number
}

/** Runs every operation against the echo server and the engine in turn, so that both meet the same neighbours' load. */
async function main(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'embedded-mongo-bench-'))
  const contestants = [
    await enter('echo', await spawnServer(new URL('./echo-server.js', import.meta.url), [])),
    await enter('engine', await spawnServer(new URL('../main.js', import.meta.url), ['--port', '0', '--data', data])),
  ]
  console.log('clients  operation                          echo/s  engine/s  ratio  CPU µs/op: echo  engine')
  for (const operation of operations) {
    const samples = new Map<string, Sample[]>(contestants.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const contestant of contestants) samples.get(contestant.name)!.push(await measure(contestant, operation))
    print(operation, samples.get('echo')!, samples.get('engine')!)
  }
  console.log(`engine RSS ${(contestants[1]!.child.rssBytes() / 1_048_576).toFixed(0)} MB`)
  for (const { child, target } of contestants) {
    await target.client.close()
    await child.stop()
  }
  await rm(data, { recursive: true })
}

async function enter(name: string, child: Child): Promise<Contestant> {
  const client = await new MongoClient(child.uri, { maxPoolSize: 40 }).connect()
  return { name, child, target: await prepare(client) }
}

async function measure({ child, target }: Contestant, operation: Operation): Promise<Sample> {
  let begun = 0
  let done = 0
  const cpu = child.cpuSeconds()
  const started = performance.now()
  const end = started + roundMs
  const one = async () => {
    while (performance.now() < end) {
      begun += 1
      await operation.run(target, begun)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: operation.clients }, one))
  const seconds = (performance.now() - started) / 1000
  return { perSecond: done / seconds, cpuMicros: ((child.cpuSeconds() - cpu) * 1e6) / done }
}

function print(operation: Operation, echo: readonly Sample[], engine: readonly Sample[]): void {
  const rate = (samples: readonly Sample[]) => median(samples.map(({ perSecond }) => perSecond))
  const cpu = (samples: readonly Sample[]) => median(samples.map(({ cpuMicros }) => cpuMicros))
  const columns = [
    String(operation.clients).padStart(7),
    ` ${operation.name.padEnd(33)}`,
    rate(echo).toFixed(0).padStart(7),
    rate(engine).toFixed(0).padStart(9),
    (rate(engine) / rate(echo)).toFixed(2).padStart(6),
    cpu(echo).toFixed(0).padStart(16),
    cpu(engine).toFixed(0).padStart(7),
  ]
  console.log(columns.join(' '))
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

await main()
