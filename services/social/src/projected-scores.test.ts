import assert from 'node:assert/strict'
import { type CloudEvent, scoreChanged } from '@carapace/api'
import { agentProjection } from '@carapace/projections'
import type { Platform } from '@carapace/service'
import { type Database, openDatabase } from '@carapace/store'
import { acquireMongo, type TestMongo } from '@carapace/testing'

describe('the copy of agents with their scores', () => {
  let mongo: TestMongo
  let db: Database

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}scores` })
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  it('is written when score or risk moved, in any order of the events', async () => {
    const { subscriptions } = agentProjection({ db } as unknown as Platform)
    const subscription = subscriptions.find(({ types }) => types.includes(scoreChanged.type))!
    const receive = (aggregateversion: number, data: object) =>
      subscription.handle({ type: scoreChanged.type, source: '/carapace/reputation', subject: 'a', aggregateversion, data } as unknown as CloudEvent)
    const score = { agentId: 'a', tier: 'Hatchling', riskLevel: 'low', badges: [], totalGigsCompleted: 0, totalEarned: '0', gigCompletionRate: 0 }
    const common = { ...score, components: { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 } }
    const event = { ...common, formulaVersion: '1', computedAt: new Date().toISOString() }
    const row = () => db.connection.collection<{ _id: string; fusedScore: number; rev: number }>('agents').findOne({ _id: 'a' })

    await receive(4, { ...event, fusedScore: 17, previousScore: 17, riskScore: 5, previousRisk: 5 })
    assert.equal(await row(), null)
    await receive(3, { ...event, fusedScore: 17, previousScore: 16, riskScore: 5, previousRisk: 5 })
    await receive(2, { ...event, fusedScore: 16, previousScore: 15, riskScore: 5, previousRisk: 0 })
    await receive(5, { ...event, fusedScore: 17, previousScore: 17, riskScore: 5 })

    const { fusedScore, rev } = (await row())!
    assert.deepEqual([fusedScore, rev], [17, 3])
  })
})
