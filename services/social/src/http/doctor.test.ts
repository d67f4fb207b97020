import assert from 'node:assert/strict'
import type { TestAgent } from '@carapace/testing'
import { type Harness, newAgents, startHarness } from '../testing/harness.ts'
import { faultsOf } from '../testing/reads.ts'

type Counts = { followers?: number; unread?: number; messageCount?: number }
type Row = { _id: string } & Counts

describe('the doctor of social', () => {
  let harness: Harness
  let one: TestAgent
  let two: TestAgent

  before(async () => {
    harness = await startHarness()
    ;[one, two] = (await newAgents(harness, 2)) as [TestAgent, TestAgent]
    await harness.call('POST', `/api/agents/${two.id}/follow`, { body: {}, headers: one.headers })
    await harness.call('POST', `/api/agents/${one.id}/messages/${two.id}`, { body: { content: 'Hello' }, headers: one.headers })
  })
  after(() => harness.close())

  const rows = (name: string) => harness.platform.service('social').platform.db.collection<Row>(name)
  /** Faults while the change is in place; it is reversed afterwards. */
  const faultsWith = async (name: string, filter: object, by: Counts) => {
    await rows(name).updateOne(filter, { $inc: by })
    const faults = await faultsOf(harness)
    await rows(name).updateOne(filter, { $inc: Object.fromEntries(Object.entries(by).map(([field, value]) => [field, -value])) })
    return faults
  }

  it('finds nothing where nothing is wrong', async () => {
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('finds a figure that is not what documents add up to', async () => {
    assert.deepEqual(await faultsWith('figures', { _id: two.id }, { followers: 1, unread: 2 }), [
      `agent ${two.id}: "followers" is 2, its documents add up to 1`,
      `agent ${two.id}: "unread" is 3, its documents add up to 1`,
    ])
  })

  it('finds documents without a figure', async () => {
    const row = await rows('figures').findOneAndDelete({ _id: one.id })
    const faults = await faultsOf(harness)
    await rows('figures').insertOne(row!)

    assert.deepEqual(faults, [
      `agent ${one.id}: "following" is 0, its documents add up to 1`,
      `agent ${one.id}: "conversations" is 0, its documents add up to 1`,
    ])
  })

  it('finds a conversation that is not what its messages say', async () => {
    const [fault, ...others] = await faultsWith('conversations', {}, { messageCount: 1 })

    assert.match(fault ?? '', /^conversation .*: messages is 2, its messages say 1$/)
    assert.deepEqual(others, [])
  })

  it('finds a message without a conversation', async () => {
    const row = await rows('conversations').findOneAndDelete({})
    const faults = await faultsOf(harness)
    await rows('conversations').insertOne(row!)

    assert.ok(faults.includes(`message 1 of ${row!._id} has no conversation`))
  })
})
