import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '@carapace/store'
import { acquireMongo, countedReads, type TestMongo } from '@carapace/testing'
import { checks, settlingAgain } from './invariants.ts'
import { resendSettle, sendCreate, sendSettle } from './job/commands.ts'
import { jobStore } from './job/job.store.ts'
import { commerceLedger } from './ledger.ts'
import type { Parts } from './parts.ts'
import { drafted, followed, funded, funding, place, start, submitted } from './testing/walk.ts'

describe('a settlement of a job that has failed', () => {
  let mongo: TestMongo
  let db: Database

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}stuck` })
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  it('is an operator’s matter immediately, also while its next round is under way, until it is confirmed', async () => {
    const jobs = jobStore(db, commerceLedger(db))
    const stuck = () => checks.stuck!({ jobs, clock: { now: () => start } } as unknown as Parts, 'whole')
    const first = sendSettle(submitted(), { outcome: 'complete', trigger: 'settle', by: 'oracle', reason: '', at: start }).state
    const failed = followed(first, 'settle', 'failed', start, { code: 'REVERTED', message: 'paused' }).state
    const again = resendSettle(failed).state
    const { id } = await jobs.create(first, [])
    const becomes = (state: typeof first) => jobs.change(id, () => ({ state, events: [] }))
    assert.deepEqual(await stuck(), [])

    await becomes(failed)
    assert.deepEqual(await stuck(), [`the settlement of job ${id} failed: REVERTED: paused`])

    await becomes(again)
    assert.deepEqual(await stuck(), [`the settlement of job ${id} failed, its round 2 is under way`])

    await becomes(followed(again, 'settle', 'confirmed').state)
    assert.deepEqual(await stuck(), [])
  })
})

describe('jobs whose settlement failed', () => {
  let mongo: TestMongo
  let db: Database
  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}many` })
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  it('are found without a search through those that have ended', async () => {
    const { db: counted, reads } = countedReads(db)
    const jobs = jobStore(counted, commerceLedger(db))
    await db.init()
    const first = sendSettle(submitted(), { outcome: 'complete', trigger: 'settle', by: 'oracle', reason: '', at: start }).state
    const failed = followed(first, 'settle', 'failed', start, { code: 'REVERTED', message: 'paused' }).state
    const filter = settlingAgain[0]!
    await jobs.create(failed, [])
    await db.transaction(session =>
      jobs.createAll(
        Array.from({ length: 50 }, () => ({ ...first, id: randomUUID() })),
        session,
      ),
    )

    const found = await jobs.find(filter)

    assert.deepEqual([found.map(({ id }) => id), reads.documents], [[failed.id], 1])
  })
})

describe('the contract of jobs', () => {
  let mongo: TestMongo
  let db: Database

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}contract` })
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  it('is compared with the books while steps are under way, but for the money that they move', async () => {
    const ledger = commerceLedger(db)
    const jobs = jobStore(db, ledger)
    const networks = { everyContract: async () => [place.contract], readAhead: async () => undefined }
    const faults = async (held: bigint) => {
      const peers = { call: async () => ({ result: [String(held)] }) }
      return (await checks.contracts!({ jobs, ledger, peers, networks } as unknown as Parts, 'whole')).filter(fault =>
        fault.startsWith('BASE_SEPOLIA'),
      )
    }
    const paid = funded()
    await jobs.create(paid, [])
    await jobs.create(sendCreate(drafted()).state, [])
    assert.deepEqual([await faults(paid.budget), (await faults(0n)).length], [[], 1])

    const other = funding()
    await jobs.create(other, [])
    const sum = paid.budget + other.budget
    assert.deepEqual(
      [await faults(paid.budget), await faults(sum), (await faults(paid.budget - 1n)).length, (await faults(0n)).length],
      [[], [], 1, 1],
    )
  })
})
