import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startOwnBroker } from '@carapace/testing'
import { quiet } from '../bus.ts'
import { rabbitBus } from '../index.ts'
import { brokerVersion } from './broker-version.ts'
import { queue, toArgv, type WorkerArguments } from './workload.ts'

/**
 * Kills publisher, consumers and broker with -9 by rotation while events flow, and checks that each event had its effect, once.
 * TORTURE_EVENTS (default 60,000); AMQP_URL and AMQP_CONTAINER (`podman rabbit-4`): a broker in a container of its own; TORTURE_PUBLISHER: another publisher program with the arguments and the output of publisher.ts.
 */
const total = Number(process.env.TORTURE_EVENTS ?? 60_000)
const publisherProgram = process.env.TORTURE_PUBLISHER ?? sibling('publisher.js')
const kills = [
  'publisher',
  'consumer',
  'broker',
  'publisher',
  'consumer',
  'publisher',
  'broker',
  'consumer',
  'publisher',
  'broker',
  'consumer',
] as const
const consumers = 2
const abandonAfterMs = 60_000

const started = Date.now()
const folder = await mkdtemp(path.join(tmpdir(), 'carapace-torture-'))
const broker = await startOwnBroker()
console.log(`on ${await brokerVersion(broker.url)}`)
const workers = new Map<string, ChildProcess>()
let confirmed = 0
let isPublished = false
let isOver = false

try {
  for (let shard = 0; shard < 256; shard++) await mkdir(path.join(folder, 'effects', String(shard)), { recursive: true })
  await declareQueue()
  for (let n = 0; n < consumers; n++) superviseWorker(`consumer ${n}`, sibling('consumer.js'))
  superviseWorker('publisher', publisherProgram)
  for (const [n, victim] of kills.entries()) await kill(n, victim)
  await allHandled()
  const isSound = await report()
  process.exitCode = isSound ? 0 : 1
} finally {
  isOver = true
  for (const worker of workers.values()) worker.kill('SIGKILL')
  await broker.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Without its queue an event would reach no consumer. */
async function declareQueue(): Promise<void> {
  const bus = rabbitBus({ log: quiet, ...broker, service: 'torture' })
  await bus.subscribe(queue, async () => {})
  await bus.close()
}

/** Restarts the program whenever it is killed. */
function superviseWorker(name: string, program: string): void {
  const args: WorkerArguments = { url: broker.url, prefix: broker.prefix, folder, total }
  const worker = spawn(process.execPath, [program, ...toArgv(args)], { stdio: ['ignore', 'pipe', 'inherit'] })
  workers.set(name, worker)
  createInterface({ input: worker.stdout }).on('line', line => {
    confirmed = Math.max(confirmed, Number(/^confirmed (\d+)$/.exec(line)?.[1] ?? 0))
  })
  worker.once('exit', code => {
    if (name === 'publisher' && code === 0) isPublished = true
    else if (!isOver) superviseWorker(name, program)
  })
}

/** Waits for the n-th share of the events to be published, then kills. */
async function kill(n: number, victim: (typeof kills)[number]): Promise<void> {
  const due = (total * (n + 1)) / (kills.length + 1)
  while (confirmed < due && !isPublished) await sleep(10)
  console.log(`${seconds()} s: ${confirmed} confirmed, kill -9 of the ${victim}`)
  if (victim === 'broker') {
    await broker.kill9()
    return broker.restart()
  }
  const worker = workers.get(victim === 'publisher' ? 'publisher' : `consumer ${n % consumers}`)
  if (!worker || worker.exitCode !== null) throw new Error(`the ${victim} had ended before it was killed`)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
}

/** Until every event had its effect, or none came for a minute. */
async function allHandled(): Promise<void> {
  let last = { count: -1, at: Date.now() }
  for (;;) {
    const count = await effects()
    if (count >= total && isPublished) return
    if (count !== last.count) last = { count, at: Date.now() }
    if (Date.now() - last.at > abandonAfterMs) return
    await sleep(500)
  }
}

/** Events that had their effect: one file each, which the file system lets nobody make twice. */
async function effects(): Promise<number> {
  const folders = await readdir(path.join(folder, 'effects'))
  const shards = await Promise.all(folders.map(shard => readdir(path.join(folder, 'effects', shard))))
  return shards.flat().length
}

async function report(): Promise<boolean> {
  const count = await effects()
  const repeated = (await readFile(path.join(folder, 'repeated'), 'utf8').catch(() => '')).split('\n').length - 1
  const bus = rabbitBus({ log: quiet, ...broker, service: 'torture' })
  const dead = (await bus.deadLetters()).length
  await bus.close()
  const share = ((repeated * 100) / total).toFixed(2)
  console.log(`${seconds()} s: ${kills.length} kills, ${total} events, ${total - count} lost, ${count} effects, ${dead} dead letters`)
  console.log(`repeated deliveries that had no second effect: ${repeated} (${share} %)`)
  return isPublished && count === total && dead === 0
}

function seconds(): string {
  return ((Date.now() - started) / 1000).toFixed(1)
}

function sibling(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
