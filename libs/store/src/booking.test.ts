import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { refuse } from '@carapace/api'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import type { Collection } from 'mongoose'
import { type AggregateStore, aggregateStore } from './aggregate.ts'
import type { Decision } from './aggregate-document.ts'
import { type Database, openDatabase } from './database.ts'
import { type Ledger, openLedger, transfer } from './ledger.ts'
import type { LedgerEntry } from './ledger-audit/entry.ts'
import { transact } from './transact.ts'

const chain = 'BASE_SEPOLIA'

interface Jar {
  id: string
  held: bigint
  label: string
}
interface JarDecision extends Decision<Jar> {
  note?: string
}

const postings = (before: Jar | undefined, { id, held }: Jar): LedgerEntry[] => {
  const change = held - (before?.held ?? 0n)
  if (change === 0n) return []
  const lines = change > 0n ? transfer('ext:bank', `jar:${id}`, change) : transfer(`jar:${id}`, 'ext:bank', -change)
  return [{ key: `jar:${id}:${held}:${randomUUID()}`, chain, ref: { type: 'jar', id }, lines }]
}

await onEachMongo('an aggregate whose changes are posted', acquireMongo => {
  let mongo: TestMongo
  let db: Database
  let ledger: Ledger
  let jars: AggregateStore<Jar, JarDecision>
  let notes: Collection<{ _id: string; jarId: string }>
  let transactions = 0

  before(async () => {
    mongo = await acquireMongo()
    const opened = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}booking` })
    const counted: Database['transaction'] = (work, limitMs) => {
      transactions++
      return opened.transaction(work, limitMs)
    }
    db = { ...opened, transaction: counted }
    ledger = openLedger(db, account => account.startsWith('ext:'))
    notes = db.collection('notes')
    jars = aggregateStore<Jar, JarDecision>(db, {
      collection: 'jars',
      resource: 'jar',
      ledger,
      postings,
      alongside: (_before, { id }, decision) => {
        const note = decision?.note
        return note === undefined ? undefined : session => notes.insertOne({ _id: note, jarId: id }, { session })
      },
    })
    await db.init()
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  const create = (held = 0n) => jars.create({ id: randomUUID(), held, label: 'new' }, [])
  const put = (amount: bigint) => (jar: Jar) => ({ state: { ...jar, held: jar.held + amount }, events: [] })
  const booked = (id: string) => ledger.balance(chain, `jar:${id}`)

  it('is written in one transaction with its entries, the creation too', async () => {
    const { id } = await create(5n)

    await jars.change(id, put(3n))

    assert.deepEqual([(await jars.need(id)).held, await booked(id)], [8n, 8n])
  })

  it('is one guarded write without a transaction when it moves no money', async () => {
    const { id } = await create()
    transactions = 0

    await jars.change(id, jar => ({ state: { ...jar, label: 'old' }, events: [] }))

    assert.deepEqual([(await jars.need(id)).label, transactions], ['old', 0])
  })

  it('is decided once when no other write comes between', async () => {
    const { id } = await create()
    let decided = 0

    await jars.change(id, jar => {
      decided++
      return put(1n)(jar)
    })

    assert.equal(decided, 1)
  })

  it('does not change when the ledger refuses', async () => {
    const { id } = await create(5n)
    const overdraw = (jar: Jar) => ({ ...put(-2n)(jar), note: id })
    await db.transaction(session =>
      ledger.post({ key: `lost:${id}`, chain, ref: { type: 'jar', id }, lines: transfer(`jar:${id}`, 'ext:thief', 4n) }, session),
    )

    await assert.rejects(jars.change(id, overdraw), { code: 'INSUFFICIENT_BALANCE' })

    const jar = await jars.need(id)
    assert.deepEqual([jar.held, jar.version, await notes.countDocuments({ jarId: id })], [5n, 1, 0])
  })

  it('is decided again when another write comes between: of many concurrent ones none is lost', async () => {
    const all = [await create(), await create()]

    const each = all.flatMap(({ id }) => Array.from({ length: 3 }, () => jars.change(id, put(1n))))
    await Promise.all(each)

    for (const { id } of all) assert.deepEqual([(await jars.need(id)).held, await booked(id)], [3n, 3n])
    assert.deepEqual(await ledger.audit(), [])
  })

  it('is written with the documents that belong to it, or not at all', async () => {
    const { id } = await create()
    const noted = (note: string) => (jar: Jar) => ({ ...put(1n)(jar), note })

    await jars.change(id, noted(`${id}/1`))
    await assert.rejects(jars.change(id, noted(`${id}/1`)), /duplicate key/)

    assert.deepEqual([(await jars.need(id)).held, await booked(id), await notes.countDocuments({ jarId: id })], [1n, 1n, 1])
  })

  it('is part of a larger transaction where one is given', async () => {
    const [one, other] = [await create(5n), await create(5n)]
    const move = (by: () => void) =>
      transact({ db }, async session => {
        await jars.change(one.id, put(-5n), { session })
        await jars.change(other.id, put(5n), { session })
        by()
      })

    await assert.rejects(
      move(() => refuse('FORBIDDEN')),
      { code: 'FORBIDDEN' },
    )
    assert.deepEqual([await booked(one.id), await booked(other.id)], [5n, 5n])
    await move(() => undefined)

    assert.deepEqual([await booked(one.id), await booked(other.id)], [0n, 10n])
    assert.deepEqual([(await jars.need(one.id)).held, (await jars.need(other.id)).held], [0n, 10n])
  })
})
