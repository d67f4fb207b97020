import assert from 'node:assert/strict'
import { openDatabase } from '@carapace/store'
import { acquireMongo, type TestMongo } from '@carapace/testing'
import type { mongo } from 'mongoose'
import { openCollections } from './collections.ts'

describe('rare reads of the relayer', () => {
  let mongo: TestMongo
  let database: Awaited<ReturnType<typeof openDatabase>>
  before(async () => {
    mongo = await acquireMongo()
    database = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}relayer_indexes` })
  })
  after(async () => {
    await database.close()
    await mongo.close()
  })

  const stages = (plan: unknown): string[] => JSON.stringify(plan).match(/"stage":"[A-Z]+"/g) ?? []
  const isIndexed = async (found: mongo.FindCursor<unknown>) => {
    const { queryPlanner } = (await found.explain('queryPlanner')) as { queryPlanner: { winningPlan: unknown } }
    return !stages(queryPlanner.winningPlan).includes('"stage":"COLLSCAN"')
  }

  it('use an index', async () => {
    const { txs, ops, events } = await openCollections(database)
    const reads = {
      'transactions that carried an operation': txs.find({ 'ops.opKey': 'bond.deposit:1', nonce: { $ne: null } }),
      'withdrawn events': events.find({ network: 'SKALE_TESTNET', removed: true, removedAt: { $gte: 1 } }).sort({ removedAt: 1 }),
      'withdrawn events of one moment': events.find({ network: 'SKALE_TESTNET', removed: true, removedAt: 1 }),
      'doubted events': events.find({ network: 'SKALE_TESTNET', doubts: { $exists: true } }),
      'operations found on chain': ops.find({ lane: 'a', 'result.already': true, state: { $in: ['CONFIRMED', 'FINAL'] } }),
      'cancelled operations': ops.find({ lane: 'a', cancelRequested: true, state: 'QUEUED' }),
    }
    const scanned: string[] = []
    for (const [name, found] of Object.entries(reads)) if (!(await isIndexed(found))) scanned.push(name)
    assert.deepEqual(scanned, [])
  })
})
