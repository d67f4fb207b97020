import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { currentTrace } from '@carapace/service'
import { acquireMongo, startPlatform, type TestMongo, type TestPlatform } from '@carapace/testing'
import { Collection, type Document, MongoClient } from 'mongodb'
import { declaredReads, filtersOf, queryKeys, readServices } from '../testing/reads.ts'

interface Read {
  database: string
  collection: string
  filter: Document
  sort: Document
  limit: number
}

describe('every list', () => {
  let mongo: TestMongo
  let platform: TestPlatform
  let client: MongoClient
  let agent: { id: string; wallet: string }
  const original = Collection.prototype.find
  let reads: Read[] = []
  let readCount = 0
  const traceId = randomBytes(16).toString('hex')

  before(async () => {
    mongo = await acquireMongo()
    platform = await startPlatform(readServices, { mongo })
    client = await MongoClient.connect(mongo.uri)
    const wallet = `0x${'12'.repeat(20)}`
    const body = { handle: 'list-reader', walletAddress: wallet, skills: ['solidity'] }
    const answer = await platform.call('POST', '/api/register-agent', { body, headers: { prefer: 'respond-async' } })
    agent = { id: answer.body.agent.id, wallet }
    // the first of each reads everything once
    for (const path of ['/api/agents/search?q=a', '/api/slashes', '/api/trust-receipts']) await platform.call('GET', path)
    Collection.prototype.find = function (this: Collection, filter: Document = {}, options: Document = {}) {
      const cursor = original.call(this, filter, options)
      const { sort = {}, limit = 0 } = options
      // reads by id are no lists; jobs read meanwhile, each in a trace of its own
      const isById = Math.abs(limit) === 1 || '_id' in filter
      if (!isById && currentTrace()?.traceId === traceId) reads.push({ database: this.dbName, collection: this.collectionName, filter, sort, limit })
      return cursor
    } as typeof original
  })
  after(async () => {
    Collection.prototype.find = original
    await client.close()
    await platform.close()
    await mongo.close()
  })

  const lists = declaredReads.filter(endpoint => queryKeys(endpoint).includes('offset'))

  for (const endpoint of lists) {
    it(`GET ${endpoint.path} reads a page of an index in its order, for any one filter`, async () => {
      const path = endpoint.path.replace(/:\w+/g, agent.id)
      const headers = {
        'x-agent-id': agent.id,
        'x-wallet-address': agent.wallet,
        traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-00`,
      }
      const variants = ['', ...filtersOf(endpoint)]
      for (const variant of variants) {
        reads = []
        await platform.call('GET', `${path}?limit=3&${variant}`, { headers })
        for (const { database, collection, filter, sort, limit } of reads) {
          // news of the last seconds are few
          assert.ok(limit > 0 || 'updatedAt' in filter, `${variant}: ${collection} ${inspect(filter)} has no limit`)
          const { winningPlan } = (await original.call(client.db(database).collection(collection), filter, { sort }).explain('queryPlanner'))
            .queryPlanner
          const stages = [winningPlan.stage, winningPlan.inputStage?.stage]
          readCount++
          assert.ok(!stages.includes('SORT') && !stages.includes('COLLSCAN'), `${variant}: ${collection} ${inspect([filter, sort])}: ${stages}`)
        }
      }
    })
  }

  it('was watched: the reads of its requests were found, but of those that are served from memory', () => {
    assert.ok(readCount > lists.length / 2, `${readCount} reads of ${lists.length} lists`)
  })
})
