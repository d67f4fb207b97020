import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { serialize } from 'bson'
import { open } from 'lmdb'
import { MongoClient } from 'mongodb'
import { spawnServer } from './child.ts'

const batch = 10_000
const pingLimitMs = 100
const growthLimitMb = 64
const memoryEveryMs = 50
/** The pings themselves should not be the load. */
const betweenMs = 1
const mebibyte = 1_048_576

/**
 * Changes so many documents by one command, with two indexes on them, while other clients ping the engine and an echo server, which shows what the machine
 * itself costs. Prints for each command the longest pings and how much the engine's memory grew, the mapped data file left out; fails above the limits.
 */
export async function measurePings(documents: number): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'embedded-mongo-pings-'))
  const child = await spawnServer(new URL('../main.js', import.meta.url), ['--port', '0', '--data', data])
  const echoServer = await spawnServer(new URL('./echo-server.js', import.meta.url), [])
  const [client, other, echo] = await Promise.all([child.uri, child.uri, echoServer.uri].map(uri => new MongoClient(uri).connect()))
  const items = client!.db('bench').collection<{ _id: number }>('items')
  await items.createIndexes([
    { key: { n: 1 }, name: 'n_1' },
    { key: { email: 1 }, name: 'email_1', unique: true },
  ])
  const rates: number[] = []
  for (let from = 0; from < documents; from += batch) {
    const some = Array.from({ length: Math.min(batch, documents - from) }, (_, i) => item(from + i))
    const started = performance.now()
    await items.insertMany(some)
    rates.push((some.length * 1_000) / (performance.now() - started))
  }
  reportFigure('engine.insert', rates)
  console.log(`LMDB alone stores ${(await lmdbRate(join(data, 'lmdb'), documents)).toFixed(0)} of these documents a second`)
  const commands: [name: string, run: () => Promise<unknown>][] = [
    ['updateMany', () => items.updateMany({}, { $inc: { n: 1 } })],
    ['createIndex', () => items.createIndex({ group: 1, text: 1 })],
    ['deleteMany', () => items.deleteMany({})],
  ]
  console.log(`${documents} documents, the longest ping meanwhile at most ${pingLimitMs} ms, memory at most ${growthLimitMb} MB more:`)
  for (const [name, run] of commands) {
    const { seconds, engine, machine, growthMb } = await during(run)
    const isGood = engine.longest <= pingLimitMs && growthMb <= growthLimitMb
    if (!isGood) process.exitCode = 1
    if (name === 'updateMany') reportFigure('engine.growth', [growthMb])
    const pings = `${engine.count} pings, the longest ${engine.longest.toFixed(0)} ms, of the echo server ${machine.longest.toFixed(0)} ms`
    const figures = `${seconds.toFixed(1)} s, ${pings}, memory +${growthMb.toFixed(0)} MB`
    console.log(`${isGood ? 'ok  ' : 'FAIL'} ${name.padEnd(12)} ${figures}`)
  }
  for (const one of [client, other, echo]) await one!.close()
  await child.stop()
  await echoServer.stop()
  await rm(data, { recursive: true })

  async function during(run: () => Promise<unknown>): Promise<Measured> {
    const before = child.rssBytes().own
    let most = before
    const watching = setInterval(() => {
      most = Math.max(most, child.rssBytes().own)
    }, memoryEveryMs)
    const started = performance.now()
    let isOver = false
    const pinging = [other, echo].map(one => pingUntil(one!, () => isOver))
    await run()
    isOver = true
    const seconds = (performance.now() - started) / 1000
    const [engine, machine] = await Promise.all(pinging)
    clearInterval(watching)
    return { seconds, engine: engine!, machine: machine!, growthMb: (most - before) / mebibyte }
  }
}

/** As libs/testing does it for the runner of all benches; that library depends on this one. */
const reportFigure = (line: string, values: readonly number[]) => console.log(`figure ${JSON.stringify({ line, values })}`)

async function pingUntil(client: MongoClient, isOver: () => boolean): Promise<Pings> {
  const pings: Pings = { count: 0, longest: 0 }
  while (!isOver()) {
    const sent = performance.now()
    await client.db('admin').command({ ping: 1 })
    pings.longest = Math.max(pings.longest, performance.now() - sent)
    pings.count += 1
    await pause(betweenMs)
  }
  return pings
}

/** Documents a second that LMDB itself stores as BSON, a transaction for each batch. */
async function lmdbRate(path: string, documents: number): Promise<number> {
  const database = open({ path, encoding: 'binary' })
  const started = performance.now()
  for (let from = 0; from < documents; from += batch)
    await database.transaction(() => {
      for (let i = from; i < Math.min(from + batch, documents); i++) void database.put(i, Buffer.from(serialize(item(i))))
    })
  await database.flushed
  const rate = (documents * 1_000) / (performance.now() - started)
  await database.close()
  return rate
}

interface Pings {
  count: number
  longest: number
}
interface Measured {
  seconds: number
  engine: Pings
  machine: Pings
  growthMb: number
}

const item = (i: number) => ({ _id: i, n: i, email: `user${i}@example.org`, group: i % 500, text: `x${i}`.padEnd(100, 'x') })
