import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Refusal } from '@carapace/api'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import fc from 'fast-check'
import { type Database, openDatabase } from './database.ts'
import { type Ledger, openLedger, transfer } from './ledger.ts'

const chain = 'BASE_SEPOLIA'

await onEachMongo('ledger', acquireMongo => {
  let mongo: TestMongo
  let db: Database
  let ledger: Ledger

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}ledger` })
    ledger = openLedger(db, account => account.startsWith('ext:'))
    await db.init()
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  const move = (from: string, to: string, amount: bigint, key: string = randomUUID()) =>
    db.transaction(session => ledger.post({ key, chain, lines: transfer(from, to, amount), ref: { type: 'test', id: key } }, session))
  const account = () => `wallet:${randomUUID()}`

  it('moves money between accounts', async () => {
    const a = account()
    const b = account()
    await move('ext:bank', a, 1_000_000n)

    await move(a, b, 400_000n)

    assert.deepEqual([await ledger.balance(chain, a), await ledger.balance(chain, b)], [600_000n, 400_000n])
  })

  it('names the accounts of a prefix that are not empty, on each network', async () => {
    const name = `open-${randomUUID()}`
    const [full, empty] = [`${name}:full`, `${name}:empty`]
    await move('ext:bank', empty, 3n)
    await move(empty, full, 3n)
    await move(`ext:${name}`, account(), 2n)

    const [open, outside, others] = [await ledger.open(`${name}:`), await ledger.open(`ext:${name}`), await ledger.open(`none-${name}`)]

    assert.deepEqual([[...open.all()], [...open.on(chain)], [...open.on('SKALE_TESTNET')]], [[[full, 3n]], [[full, 3n]], []])
    assert.deepEqual([[...outside.all()], [...others.all()]], [[[`ext:${name}`, -2n]], []])
  })

  it('posts a key once, however often it comes', async () => {
    const a = account()
    const key = randomUUID()

    const posted = await Promise.all([1, 2, 3].map(() => move('ext:bank', a, 5n, key)))

    assert.deepEqual(posted.filter(Boolean).length, 1)
    assert.equal(await ledger.balance(chain, a), 5n)
  })

  it('never lets an account fall below zero, also when many draw at the same time', async () => {
    const a = account()
    await move('ext:bank', a, 10n)

    const drawn = await Promise.allSettled(Array.from({ length: 8 }, () => move(a, 'ext:bank', 3n)))

    assert.equal(drawn.filter(result => result.status === 'fulfilled').length, 3)
    assert.equal(await ledger.balance(chain, a), 1n)
    for (const result of drawn) if (result.status === 'rejected') assert.match((result.reason as Refusal).code, /INSUFFICIENT_BALANCE|CONFLICT/)
  })

  it('refuses an entry whose debits and credits differ', async () => {
    const lines = [
      { account: 'ext:x', debit: 2n, credit: 0n },
      { account: 'ext:y', debit: 0n, credit: 1n },
    ]

    await assert.rejects(
      db.transaction(session => ledger.post({ key: randomUUID(), chain, lines, ref: { type: 'test', id: 'x' } }, session)),
      /does not balance/,
    )
  })

  it('is not found wrong for a movement that comes while it is audited, but for one that it lacks', async () => {
    const a = account()
    await move('ext:bank', a, 10n)
    const entries = db.connection.collection('ledger_entries')
    const { find } = entries
    entries.find = ((...args: Parameters<typeof find>) => {
      const cursor = find.apply(entries, args)
      entries.find = find
      return (async function* () {
        yield* cursor
        await move('ext:bank', a, 5n)
      })()
    }) as unknown as typeof find

    assert.deepEqual(await ledger.audit(), [])

    const accounts = db.connection.collection<{ _id: string; balance: bigint }>('ledger_accounts')
    await accounts.updateOne({ _id: `${chain}/${a}` }, { $inc: { balance: 1n } })
    assert.deepEqual(await ledger.audit(), [`account ${chain}/${a} holds 16, its entries say 15`])
    await accounts.updateOne({ _id: `${chain}/${a}` }, { $inc: { balance: -1n } })
  })

  it('stays equal to the sum of its entries under random movements', async () => {
    const names = ['ext:bank', 'wallet:p', 'wallet:q', 'wallet:r']
    const movement = fc
      .record({ from: fc.constantFrom(...names), to: fc.constantFrom(...names), amount: fc.bigInt({ min: 1n, max: 1_000n }) })
      .filter(m => m.from !== m.to)
    await fc.assert(
      fc.asyncProperty(fc.array(movement, { maxLength: 12 }), async movements => {
        for (const { from, to, amount } of movements) await move(from, to, amount).catch(() => undefined)
        assert.deepEqual(await ledger.audit(), [])
      }),
      { numRuns: 8 },
    )
  })
})
