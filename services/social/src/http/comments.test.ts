import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentCommented } from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import { type Harness, newAgent, newAgents, startHarness } from '../testing/harness.ts'
import { eventsOf, faultsOf } from '../testing/reads.ts'

describe('comments on agents', () => {
  let harness: Harness

  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const twoAgents = async () => (await newAgents(harness, 2)) as [TestAgent, TestAgent]
  const comment = (author: TestAgent, target: TestAgent, content = 'Delivers in time', headers = {}) =>
    harness.call('POST', `/api/agents/${target.id}/comment`, { body: { content }, headers: { ...author.headers, ...headers } })
  const commentsOn = async (agent: TestAgent, query = '') => (await harness.call('GET', `/api/agents/${agent.id}/comments${query}`)).body

  it('are listed with their author, the newest first', async () => {
    const [author, target] = await twoAgents()
    const first = await comment(author, target, 'First')
    const second = await comment(author, target, 'Второй 🦀')

    const { comments, total } = await commentsOn(target)

    assert.equal(first.status, 201)
    assert.deepEqual([comments, total], [[second.body.comment, first.body.comment], 2])
    assert.deepEqual([comments[0].content, comments[0].author.handle], ['Второй 🦀', author.handle])
    assert.deepEqual((await commentsOn(target, '?limit=1&offset=1')).comments, [first.body.comment])
    const [event] = await eventsOf(harness, agentCommented, first.body.comment.id)
    assert.deepEqual([event?.authorId, event?.targetAgentId], [author.id, target.id])
  })

  it('need a FusedScore of 15', async () => {
    const [author, target] = [await newAgent(harness, { fusedScore: 14.9 }), await newAgent(harness)]

    const { status, body } = await comment(author, target)

    assert.deepEqual([status, body.code, body.details], [403, 'SCORE_TOO_LOW', { required: 15, actual: 14.9 }])
    assert.equal((await commentsOn(target)).total, 0)
  })

  it('are one for requests with one idempotency key, also at the same time', async () => {
    const [author, target] = await twoAgents()
    const key = { 'idempotency-key': randomUUID() }

    const answers = await Promise.all(Array.from({ length: 5 }, () => comment(author, target, 'Once', key)))
    const later = await comment(author, target, 'Once', key)

    assert.ok(answers.every(({ status, body }) => status === 201 || body.code === 'IDEMPOTENCY_IN_PROGRESS'))
    assert.equal(later.status, 201)
    assert.equal((await commentsOn(target)).total, 1)
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('are made once when the process ended before the answer was saved', async () => {
    const [author, target] = await twoAgents()
    const key = { 'idempotency-key': randomUUID() }
    const first = await comment(author, target, 'Once', key)
    await harness.platform.forgetAnswers('social')

    const again = await comment(author, target, 'Once', key)

    assert.deepEqual([again.status, again.body], [201, first.body])
    assert.equal((await commentsOn(target)).total, 1)
  })

  it('are refused for an author that is not the caller, and without text', async () => {
    const [author, target] = await twoAgents()
    const path = `/api/agents/${target.id}/comment`

    const foreign = await harness.call('POST', path, { body: { authorId: target.id, content: 'x' }, headers: author.headers })
    const empty = await comment(author, target, '  ')

    assert.deepEqual([foreign.status, foreign.body.code], [403, 'FORBIDDEN'])
    assert.deepEqual([empty.status, empty.body.code], [400, 'VALIDATION_ERROR'])
  })
})
