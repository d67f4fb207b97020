import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import getPort from 'get-port'
import { type Collection, type Document, MongoClient } from 'mongodb'
import { type Child, spawnServer } from '../bench/child.ts'

export interface TortureOptions {
  rounds: number
  /** Further rounds follow until so many writes were acknowledged, regardless of the load of the machine. */
  atLeast?: number
  /** The process is killed at a random moment between these, in milliseconds after the writers have started. */
  killAfterMs: [number, number]
  writers: number
}

export interface TortureReport {
  rounds: number
  acknowledgedInserts: number
  acknowledgedTransactions: number
  acknowledgedIncrements: number
  /** All documents written: a transaction counts three. */
  acknowledgedWrites: number
  lost: number
  torn: number
  wrongCounters: number
  brokenIndexes: number
  duplicates: number
  slowestRestartMs: number
}

/** The writes that were acknowledged to the clients. The store must hold them after every crash. */
interface Memory {
  inserts: Set<string>
  transactions: Set<string>
  /** Acknowledged increments by counter, and those with an unknown outcome. */
  increments: Map<string, { sure: number; unsure: number }>
}

type Item = Document & { _id: string }

/**
 * Kills a server with SIGKILL while clients write to it, starts it again on the same data, and compares what it holds with what it
 * had acknowledged. Increments are sent as retryable writes to a server that dies under them, so they also show that a retry after a
 * restart is not done twice.
 */
export async function torture(options: TortureOptions, report: (line: string) => void = () => {}): Promise<TortureReport> {
  const data = await mkdtemp(join(tmpdir(), 'embedded-mongo-torture-'))
  const port = await getPort({ host: '127.0.0.1' })
  const memory: Memory = { inserts: new Set(), transactions: new Set(), increments: new Map() }
  const result: TortureReport = {
    rounds: 0,
    acknowledgedInserts: 0,
    acknowledgedTransactions: 0,
    acknowledgedIncrements: 0,
    acknowledgedWrites: 0,
    lost: 0,
    torn: 0,
    wrongCounters: 0,
    brokenIndexes: 0,
    duplicates: 0,
    slowestRestartMs: 0,
  }
  const launch = () => spawnServer(new URL('../main.js', import.meta.url), ['--port', String(port), '--data', data])
  let server = await launch()
  try {
    await setUp(server)
    for (let round = 1; round <= options.rounds || result.acknowledgedWrites < (options.atLeast ?? 0); round++) {
      server = await crash(server, launch, options, memory, round, result)
      await check(server, memory, result)
      result.rounds = round
      countAcknowledged(memory, result)
      report(`round ${round}: ${memory.inserts.size} inserts, ${memory.transactions.size} transactions, lost ${result.lost}, torn ${result.torn}`)
    }
  } finally {
    await server.kill()
    await rm(data, { recursive: true, force: true })
  }
  return result
}

function countAcknowledged(memory: Memory, result: TortureReport): void {
  result.acknowledgedInserts = memory.inserts.size
  result.acknowledgedTransactions = memory.transactions.size
  result.acknowledgedIncrements = [...memory.increments.values()].reduce((sum, { sure }) => sum + sure, 0)
  result.acknowledgedWrites = result.acknowledgedInserts + 3 * result.acknowledgedTransactions + result.acknowledgedIncrements
}

async function setUp(server: Child): Promise<void> {
  await withClient(server.uri, async client => {
    const items = client.db('torture').collection('items')
    await items.createIndexes([
      { key: { slot: 1 }, name: 'slot_1', unique: true },
      { key: { group: 1, at: -1 }, name: 'group_1_at_-1' },
      { key: { tags: 1 }, name: 'tags_1', sparse: true },
    ])
    await client.db('torture').createCollection('counters')
    await client.db('torture').createCollection('parts')
  })
}

/** One round: writers at work, SIGKILL in the middle of it, a new process on the same folder and port. */
async function crash(
  server: Child,
  launch: () => Promise<Child>,
  options: TortureOptions,
  memory: Memory,
  round: number,
  result: TortureReport,
): Promise<Child> {
  const client = await new MongoClient(server.uri, { maxPoolSize: options.writers, serverSelectionTimeoutMS: 20_000 }).connect()
  const state = { isOver: false }
  const writers = Array.from({ length: options.writers }, (_, w) => write(client, `${round}-${w}`, w, memory, state))
  await new Promise(resolve => setTimeout(resolve, randomInt(...options.killAfterMs)))
  state.isOver = true
  await server.kill()
  const started = performance.now()
  const next = await launch()
  result.slowestRestartMs = Math.max(result.slowestRestartMs, performance.now() - started)
  await Promise.all(writers)
  await client.close()
  return next
}

async function write(client: MongoClient, name: string, w: number, memory: Memory, state: { isOver: boolean }): Promise<void> {
  const db = client.db('torture')
  for (let i = 0; !state.isOver; i++) {
    const id = `${name}-${i}`
    if (w % 3 === 0) await insert(db.collection<Item>('items'), id, memory)
    else if (w % 3 === 1) await transfer(client, id, memory)
    else await increment(db.collection<Item>('counters'), `counter-${w}`, memory)
  }
}

async function insert(items: Collection<Item>, id: string, memory: Memory): Promise<void> {
  const document = { _id: id, slot: id, group: randomInt(20), at: new Date(), tags: ['a', id.slice(-1)], pad: 'x'.repeat(randomInt(400)) }
  const isStored = await items.insertOne(document).then(
    () => true,
    () => false,
  )
  if (isStored) memory.inserts.add(id)
}

/** Three documents that must be there together or not at all. */
async function transfer(client: MongoClient, id: string, memory: Memory): Promise<void> {
  const session = client.startSession()
  const parts = client.db('torture').collection<Item>('parts')
  try {
    session.startTransaction()
    for (const part of ['a', 'b', 'c']) await parts.insertOne({ _id: `${id}/${part}`, transfer: id }, { session })
    await session.commitTransaction()
    memory.transactions.add(id)
  } catch {
    await session.abortTransaction().catch(() => {})
  } finally {
    await session.endSession()
  }
}

async function increment(counters: Collection<Item>, id: string, memory: Memory): Promise<void> {
  const count = memory.increments.get(id) ?? { sure: 0, unsure: 0 }
  memory.increments.set(id, count)
  const isStored = await counters.updateOne({ _id: id }, { $inc: { n: 1 } }, { upsert: true }).then(
    () => true,
    () => false,
  )
  if (isStored) count.sure += 1
  else count.unsure += 1
}

async function check(server: Child, memory: Memory, result: TortureReport): Promise<void> {
  await withClient(server.uri, async client => {
    const db = client.db('torture')
    const items = new Set(await db.collection<Item>('items').distinct('_id'))
    for (const id of memory.inserts) if (!items.has(id)) result.lost += 1
    const parts = new Map<string, number>()
    for await (const { transfer: id } of db.collection<Item>('parts').find()) parts.set(id, (parts.get(id) ?? 0) + 1)
    for (const count of parts.values()) if (count !== 3) result.torn += 1
    for (const id of memory.transactions) if (parts.get(id) !== 3) result.lost += 1
    for await (const { _id, n } of db.collection<Item>('counters').find()) {
      const { sure, unsure } = memory.increments.get(_id) ?? { sure: 0, unsure: 0 }
      if (n < sure || n > sure + unsure) result.wrongCounters += 1
    }
    for (const name of ['items', 'counters', 'parts']) if (!(await db.command({ validate: name })).valid) result.brokenIndexes += 1
    const slots = await db
      .collection<Item>('items')
      .find({}, { projection: { slot: 1 } })
      .map(({ slot }) => slot)
      .toArray()
    result.duplicates += slots.length - new Set(slots).size
  })
}

async function withClient(uri: string, action: (client: MongoClient) => Promise<void>): Promise<void> {
  const client = await new MongoClient(uri).connect()
  try {
    await action(client)
  } finally {
    await client.close()
  }
}
