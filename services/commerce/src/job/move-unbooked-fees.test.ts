import assert from 'node:assert/strict'
import { type Database, openDatabase, transact, transfer } from '@carapace/store'
import { acquireMongo, type TestMongo } from '@carapace/testing'
import { account, commerceLedger } from '../ledger.ts'
import { settled } from '../testing/walk.ts'
import { jobStore } from './job.store.ts'
import { moveUnbookedFees } from './move-unbooked-fees.ts'

describe('the fee of a job that counts for nobody, as an earlier version booked it', () => {
  let mongo: TestMongo
  let db: Database

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}fees` })
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  it('leaves for the pool once, and no fee that the escrow books', async () => {
    const ledger = commerceLedger(db)
    const jobs = jobStore(db, ledger)
    const stored = async (counts: boolean) => {
      const { id, chain } = await jobs.create({ ...settled(), counts }, [])
      const clearing = account.clearing(`job.settle:${id}`)
      const entry = { key: `settle:${id}:1`, chain, ref: { type: 'job', id }, lines: transfer(account.outside('client'), clearing, 600_000n) }
      await transact({ db }, session => ledger.post(entry, session))
      return () => ledger.balance(chain, clearing)
    }
    const [external, ours] = [await stored(false), await stored(true)]

    for (const _ of [1, 2]) await moveUnbookedFees({ db, jobs, ledger })

    assert.deepEqual([await external(), await ours(), await ledger.balance('BASE_SEPOLIA', account.unbookedFees)], [0n, 600_000n, 600_000n])
    assert.deepEqual(await ledger.audit(), [])
  })
})
