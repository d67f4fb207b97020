import assert from 'node:assert/strict'
import type { AnyEndpoint } from '@carapace/api'
import { acquireMongo, startPlatform, type TestMongo, type TestPlatform } from '@carapace/testing'
import { Collection, type Document, MongoClient } from 'mongodb'
import { services } from './services.ts'

interface Read {
  database: string
  collection: string
  filter: Document
  sort: Document
}

/** A value for each filter of a list; what is not here is left out. */
const filters: Readonly<Record<string, string>> = {
  status: 'pending',
  chain: 'BASE_SEPOLIA',
  skill: 'solidity',
  skills: 'solidity',
  minScore: '10',
  gigId: '00000000-0000-4000-8000-000000000000',
  posterId: '00000000-0000-4000-8000-000000000000',
  assigneeId: '00000000-0000-4000-8000-000000000000',
  agentId: '00000000-0000-4000-8000-000000000000',
  unreadOnly: 'true',
  q: 'a',
}
const running = services.filter(({ api }) => api.name !== 'chain-relayer')

describe('every list', () => {
  let mongo: TestMongo
  let platform: TestPlatform
  let client: MongoClient
  let agent: { id: string; wallet: string }
  const original = Collection.prototype.find
  let reads: Read[] = []

  before(async () => {
    mongo = await acquireMongo()
    platform = await startPlatform(running, { mongo })
    client = await MongoClient.connect(mongo.uri)
    const wallet = `0x${'12'.repeat(20)}`
    const body = { handle: 'list-reader', walletAddress: wallet, skills: ['solidity'] }
    const answer = await platform.call('POST', '/api/register-agent', { body, headers: { prefer: 'respond-async' } })
    agent = { id: answer.body.agent.id, wallet }
    Collection.prototype.find = function (this: Collection, filter: Document = {}, options: Document = {}) {
      const cursor = original.call(this, filter, options)
      // single look-ups are no lists; jobs that look for what is due run meanwhile
      if (options.limit > 1 && !/dueAt|expiresAt/i.test(Object.keys(filter).join()))
        reads.push({ database: this.dbName, collection: this.collectionName, filter, sort: options.sort ?? {} })
      return cursor
    } as typeof original
  })
  after(async () => {
    Collection.prototype.find = original
    await client.close()
    await platform.close()
    await mongo.close()
  })

  /** The query keys of an endpoint. */
  const keysOf = (endpoint: AnyEndpoint): string[] => Object.keys((endpoint.query as { shape?: object } | undefined)?.shape ?? {})

  const lists = running
    .flatMap(({ api }) => Object.values(api.endpoints) as AnyEndpoint[])
    .filter(endpoint => endpoint.method === 'get' && keysOf(endpoint).includes('offset'))

  for (const endpoint of lists) {
    it(`GET ${endpoint.path} reads an index in its order, whatever one filter is set`, async () => {
      const path = endpoint.path.replace(/:\w+/g, agent.id)
      const headers = { 'x-agent-id': agent.id, 'x-wallet-address': agent.wallet }
      const variants = ['', ...keysOf(endpoint).flatMap(key => (filters[key] ? [`${key}=${filters[key]}`] : []))]
      for (const variant of variants) {
        reads = []
        await platform.call('GET', `${path}?limit=3&${variant}`, { headers })
        for (const { database, collection, filter, sort } of reads) {
          const { winningPlan } = (await original.call(client.db(database).collection(collection), filter, { sort }).explain('queryPlanner'))
            .queryPlanner
          const stages = [winningPlan.stage, winningPlan.inputStage?.stage]
          assert.ok(
            !stages.includes('SORT') && !stages.includes('COLLSCAN'),
            `${variant}: ${collection} ${JSON.stringify([filter, sort])}: ${stages}`,
          )
        }
      }
    })
  }
})
