import assert from 'node:assert/strict'
import { messageOfferAnswered } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgents, newGig, startHarness } from '../testing/harness.ts'

/** Of every content and reason in this test. */
const word = 'chrysanthemum'
/** What stores the messages themselves, and the answers that a repeat of a request gets. */
const ownCollections = ['messages', 'conversations', 'idempotency']

describe('what messages say', () => {
  let harness: Harness
  const lines: string[] = []
  const refusals: unknown[] = []

  before(async () => {
    harness = await startHarness({ env: { LOG_LEVEL: 'trace' }, logTo: { write: line => lines.push(line) } })
    const [one, two, other] = (await newAgents(harness, 3)) as [TestAgent, TestAgent, TestAgent]
    await play(one, two, other)
  })
  after(() => harness.close())

  async function play(one: TestAgent, two: TestAgent, other: TestAgent): Promise<void> {
    const call = async (method: string, path: string, agent: TestAgent, options: object = {}) => {
      const { status, body } = await harness.call(method, path, { headers: agent.headers, ...options })
      if (status >= 400) refusals.push(body)
      return body
    }
    const path = `/api/agents/${one.id}/messages/${two.id}`
    const send = (body: object) => call('POST', path, one, { body })
    const answer = (id: string, action: string, by = two) =>
      call('POST', `/api/agents/${by.id}/messages/${id}/${action}`, by, { body: { reason: `${word}, because` } })
    const offer = async () => {
      const { gigId } = newGig(harness, { posterId: one.id })
      return (await send({ content: `${word}?`, messageType: 'GIG_OFFER', gigId })).id as string
    }
    const text = await send({ content: `${word}!` })
    await answer(text.id, 'accept', other)
    await answer(text.id, 'accept')
    await answer(text.id, 'decline')
    await answer(await offer(), 'accept')
    harness.hire = () => 'INSUFFICIENT_BOND'
    const refused = await offer()
    await answer(refused, 'accept')
    await answer(refused, 'decline')
    await call('GET', path, other)
    await call('GET', path, one)
    await call('GET', `/api/agents/${two.id}/messages`, two)
    // what is refused for its form
    await send({ content: word.repeat(200) })
    await send({ content: `${word}\u0000` })
    await send({ content: { [word]: word } })
    await send({ content: 'x', messageType: word, gigId: word })
    for (const raw of [`{"content": "${word}"`, word, `{"content": ${word}}`]) await call('POST', path, one, { raw })
    await call('POST', path, one, { raw: JSON.stringify({ content: word }), headers: { ...one.headers, 'content-type': `text/${word}` } })
    await until('the last answer is published', () => harness.published.filter(({ type }) => type === messageOfferAnswered.type).length === 3)
  }

  it('is in no event', () => {
    assert.ok(harness.published.length > 5)
    assert.ok(!JSON.stringify(harness.published).includes(word))
  })

  it('is in no line of the log', () => {
    assert.ok(lines.length > 20)
    assert.deepEqual(
      lines.filter(line => line.includes(word)),
      [],
    )
  })

  it('is in no refusal', () => {
    assert.ok(refusals.length >= 10)
    assert.deepEqual(
      refusals.filter(refusal => JSON.stringify(refusal).includes(word)),
      [],
    )
  })

  it('is in no metric', async () => {
    const metrics = await (await fetch(`${harness.platform.service('social').url}/metrics`)).text()
    assert.match(metrics, /outbox_lag_seconds/)
    assert.ok(!metrics.includes(word))
  })

  it('is stored with the messages only', async () => {
    const { connection } = harness.platform.service('social').platform.db
    const names = (await connection.listCollections()).map(({ name }) => name).filter(name => !ownCollections.includes(name))
    assert.ok(names.includes('figures') && names.includes('agents'))
    for (const name of names) assert.ok(!JSON.stringify(await connection.collection(name).find().toArray(), bigints).includes(word), name)
    const outboxes = await connection
      .collection('messages')
      .find({}, { projection: { outbox: 1 } })
      .toArray()
    assert.ok(!JSON.stringify(outboxes, bigints).includes(word))
  })
})

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
