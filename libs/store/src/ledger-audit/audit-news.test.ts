import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { countedReads, onEachMongo, type TestMongo } from '@carapace/testing'
import { type Database, openDatabase } from '../database.ts'
import { openLedger, transfer } from '../ledger.ts'
import { newsAudit } from './audit-news.ts'
import { type Account, accountId, type Entry } from './books.ts'

const chain = 'BASE_SEPOLIA'
const hourMs = 3_600_000

await onEachMongo('the audit of what is new in a ledger', acquireMongo => {
  let mongo: TestMongo
  let now = new Date('2026-01-10T00:00:00.000Z')
  const opened: Database[] = []

  before(async () => {
    mongo = await acquireMongo()
  })
  after(async () => {
    for (const db of opened) await db.close()
    await mongo.close()
  })

  const mayBeNegative = (account: string) => account.startsWith('ext:')
  const open = async () => {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}news_${opened.length}`, clock: { now: () => now } })
    opened.push(db)
    const ledger = openLedger(db, mayBeNegative)
    await db.init()
    const [entries, accounts] = [db.collection<Entry>('ledger_entries'), db.collection<Account>('ledger_accounts')]
    const move = (from: string, to: string, amount: bigint, key: string = randomUUID()) =>
      db.transaction(session => ledger.post({ key, chain, lines: transfer(from, to, amount), ref: { type: 'test', id: key } }, session))
    return { db, ledger, entries, accounts, move }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  /** As many entries of some time ago, on ten accounts. */
  const grow = async ({ entries, accounts }: Opened, count: number) => {
    const rows = Array.from({ length: count }, (_, n) => {
      const key = randomUUID()
      return { _id: key, chain, lines: transfer('ext:bank', `wallet:${n % 10}`, 1n), ref: { type: 'test', id: key }, at: new Date(now.getTime() + n) }
    })
    await entries.insertMany(rows)
    for (const account of ['ext:bank', ...Array.from({ length: 10 }, (_, n) => `wallet:${n}`)]) {
      const change = account === 'ext:bank' ? -BigInt(count) : BigInt(count / 10)
      const update = { $inc: { balance: change }, $setOnInsert: { chain, account } }
      await accounts.updateOne({ _id: accountId(chain, account) }, update, { upsert: true })
    }
    now = new Date(now.getTime() + hourMs)
  }

  /** An audit of its own whose reads are counted. */
  const counting = ({ db: database }: Opened) => {
    const { db, reads } = countedReads(database)
    const [entries, accounts] = [db.collection<Entry>('ledger_entries'), db.collection<Account>('ledger_accounts')]
    return { audit: newsAudit({ db, entries, accounts, mayBeNegative }), reads }
  }

  it('reads as many documents where ten times as many entries have been there before', async () => {
    const books = await open()
    const { audit, reads } = counting(books)
    const readInAnHour = async () => {
      await books.move('ext:bank', 'wallet:3', 5n)
      Object.assign(reads, { operations: 0, documents: 0 })
      assert.deepEqual(await audit(), [])
      now = new Date(now.getTime() + hourMs)
      await audit()
      return { ...reads }
    }
    await grow(books, 200)
    await audit()
    const few = await readInAnHour()
    await grow(books, 2_000)
    await audit()

    assert.deepEqual(await readInAnHour(), few)
    assert.ok(few.documents < 100, `${few.documents} documents`)
    assert.deepEqual(await books.ledger.audit(), [])
  })

  it('finds an account that is not the sum of its entries, each time until it is, also before the stored sums', async () => {
    const books = await open()
    await grow(books, 100)
    const audit = () => books.ledger.auditNews()
    assert.deepEqual(await audit(), [])
    const id = accountId(chain, 'wallet:4')

    await books.accounts.updateOne({ _id: id }, { $inc: { balance: 7n } })
    const faults = [`account ${id} holds 17, its entries say 10`]
    assert.deepEqual([await audit(), await audit(), await books.ledger.audit()], [faults, faults, faults])

    await books.accounts.updateOne({ _id: id }, { $inc: { balance: -7n } })
    assert.deepEqual([await audit(), await books.ledger.audit()], [[], []])
  })

  it('finds an entry that does not balance, and goes on finding it', async () => {
    const books = await open()
    await grow(books, 100)
    const key = randomUUID()
    const lines = [
      { account: 'ext:bank', debit: 1n, credit: 0n },
      { account: 'wallet:0', debit: 0n, credit: 2n },
    ]
    await books.entries.insertOne({ _id: key, chain, lines, ref: { type: 'test', id: key }, at: now })
    now = new Date(now.getTime() + hourMs)
    await books.move('ext:bank', 'wallet:1', 1n)

    for (const _ of [1, 2]) {
      const faults = await books.ledger.auditNews()
      assert.ok(faults.includes(`entry ${key} is off by -1`), faults.join())
      assert.equal(faults.length, 3)
      now = new Date(now.getTime() + hourMs)
    }
  })

  it('counts an entry that has come with an earlier time, and reports no fault', async () => {
    const books = await open()
    await grow(books, 100)
    assert.deepEqual(await books.ledger.auditNews(), [])
    const present = now
    now = new Date(now.getTime() - 2 * hourMs)
    await books.move('ext:bank', 'wallet:2', 3n)
    now = present

    assert.deepEqual([await books.ledger.auditNews(), await books.ledger.auditNews()], [[], []])
    const sums = books.db.collection<{ _id: string; sum: bigint }>('ledger_checkpoints')
    assert.equal((await sums.findOne({ _id: accountId(chain, 'wallet:2') }))?.sum, 13n)
  })

  it('finds nothing wrong in movements that go on meanwhile', async () => {
    const books = await open()
    await books.move('ext:bank', 'wallet:a', 1_000n)
    const moving = [1n, 2n, 3n].map(async amount => {
      for (let n = 0; n < 10; n++) {
        await books.move(n % 2 ? 'wallet:a' : 'ext:bank', n % 2 ? 'ext:bank' : 'wallet:a', amount)
        now = new Date(now.getTime() + hourMs / 10)
      }
    })
    const audits = Array.from({ length: 5 }, () => books.ledger.auditNews())

    assert.deepEqual((await Promise.all(audits)).flat(), [])
    await Promise.all(moving)
    assert.deepEqual([await books.ledger.auditNews(), await books.ledger.audit()], [[], []])
  })
})
