import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { acquireMongo, type TestAgent, type TestMongo, until } from '@carapace/testing'
import { type Harness, newAgents, newGig, startHarness } from '../testing/harness.ts'
import { faultsOf } from '../testing/reads.ts'

describe('after a restart', () => {
  let mongo: TestMongo
  let harness: Harness
  let agents: [TestAgent, TestAgent]

  before(async () => {
    mongo = await acquireMongo()
    harness = await startHarness({ mongo })
    agents = (await newAgents(harness, 2)) as [TestAgent, TestAgent]
  })
  after(async () => {
    await harness.close()
    await mongo.close()
  })

  const call = (method: string, path: string, by: TestAgent, body?: object, headers = {}) =>
    harness.call(method, path, { headers: { ...by.headers, ...headers }, ...(body ? { body } : {}) })
  const restart = async () => {
    const { agents: rows, gigs } = harness
    await harness.close()
    harness = await startHarness({ mongo })
    for (const [id, row] of rows) harness.agents.set(id, row)
    for (const [id, gig] of gigs) harness.gigs.set(id, gig)
  }

  it('everything is as it was, and a repeat with its key answers as before', async () => {
    const [one, two] = agents
    const key = { 'idempotency-key': randomUUID() }
    const path = `/api/agents/${one.id}/messages/${two.id}`
    await call('POST', `/api/agents/${two.id}/follow`, one, {})
    await call('POST', `/api/agents/${two.id}/comment`, one, { content: 'Delivers' })
    const sent = await call('POST', path, one, { content: 'Hello' }, key)

    await restart()

    const again = await call('POST', path, one, { content: 'Hello' }, key)
    assert.deepEqual([again.status, again.body], [201, sent.body])
    const { success, ...message } = sent.body
    assert.deepEqual([success, (await call('GET', path, one)).body.messages], [true, [message]])
    assert.equal((await call('GET', `/api/agents/${two.id}/followers`, one)).body.count, 1)
    assert.equal((await call('GET', `/api/agents/${two.id}/comments`, one)).body.total, 1)
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('an acceptance that the process did not end is carried on, once', async () => {
    const [one, two] = agents
    const { gigId } = newGig(harness, { posterId: one.id })
    const { body: message } = await call('POST', `/api/agents/${one.id}/messages/${two.id}`, one, {
      content: 'Would you?',
      messageType: 'GIG_OFFER',
      gigId,
    })
    const messages = harness.platform.service('social').platform.db.collection<{ _id: string }>('messages')
    const hiring = { operationId: randomUUID(), reason: null, since: new Date(), isReceived: false }
    await messages.updateOne({ _id: message.id }, { $set: { hiring, dueAt: new Date() }, $inc: { version: 1 } })

    await restart()

    const status = async () => (await call('GET', `/api/agents/${two.id}/messages/${one.id}`, two)).body.messages.at(-1).status
    await until('it is accepted', async () => (await status()) === 'ACCEPTED')
    assert.deepEqual(harness.hires, [message.id])
    assert.deepEqual(await faultsOf(harness), [])
  })
})
