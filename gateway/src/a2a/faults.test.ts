import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '@carapace/store'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'

describe('what A2A is sent', () => {
  let harness: Harness
  let agent: Record<string, string>
  before(async () => {
    harness = await startHarness()
    const { agentId, wallet } = harness.agent()
    agent = { 'x-agent-id': agentId, 'x-wallet-address': wallet }
  })
  after(() => harness.close())

  const send = async (body: unknown) => {
    const headers = { 'a2a-version': '1.0', 'content-type': 'application/json', ...agent }
    const response = await fetch(`${harness.url}/a2a`, { method: 'POST', headers, body: JSON.stringify(body) })
    // biome-ignore lint/suspicious/noExplicitAny: what the protocol answers
    return (await response.json()) as any
  }
  const rpc = (method: string, params: object) => send({ jsonrpc: '2.0', id: 1, method, params })
  const messageOf = (data: object, messageId: string = randomUUID()) => ({ message: { messageId, role: 'ROLE_USER', parts: [{ data }] } })

  it('is refused as no request where it is none, batches too', async () => {
    for (const body of [null, 5, 'text', [], [{ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }]])
      assert.deepEqual(
        (await send(body)).error,
        { code: -32_600, message: 'The body is no request: one object of JSON-RPC 2.0' },
        JSON.stringify(body),
      )
  })

  it('gives a page for every token', async () => {
    for (const pageToken of ['9'.repeat(400), '99999999999999999999', '-5', '1e3', 'x'])
      assert.deepEqual((await rpc('ListTasks', { pageToken })).result?.tasks, [], pageToken)
  })

  it('is answered without the words of a fault inside', async () => {
    harness.upstream.answer = (_seen, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('inner words')
    const { task } = (await rpc('SendMessage', messageOf({ skill: 'find_agents' }))).result
    assert.equal(task.status.state, 'TASK_STATE_FAILED')
    assert.match(JSON.stringify(task), /INTERNAL_ERROR/)
    assert.doesNotMatch(JSON.stringify(task), /inner|JSON at/)

    const db = await openDatabase({ uri: harness.mongo.uri, name: `${harness.mongo.prefix}carapace_gateway` })
    const broken = { _id: randomUUID(), owner: agent['x-agent-id']!, version: 1, updatedAt: new Date() }
    await db.connection.collection('a2a_tasks').insertOne({ ...broken, task: null } as never)
    await db.close()

    assert.deepEqual((await rpc('ListTasks', {})).error, { code: -32_603, message: 'Internal error' })
  })

  it('acts under a key that follows from its id, so that a message acts once however often it is sent', async () => {
    const seen: unknown[] = []
    harness.upstream.answer = ({ url, context }, response) => {
      seen.push([url, context?.idempotencyKey])
      json(response, 201, { id: randomUUID(), status: 'open' })
    }
    const gig = { skill: 'post_gig', title: 'Audit', description: 'A vault', budget: 5 }
    for (const id of ['first', 'first', 'other']) await rpc('SendMessage', messageOf(gig, id))
    await rpc('SendMessage', messageOf({ skill: 'find_agents' }, 'first'))

    const [first, again, other, read] = seen as [string, string | undefined][]
    assert.deepEqual(again, first)
    assert.deepEqual([first![0], first![1] === undefined, first![1] === other![1], read![1]], ['/api/gigs', false, false, undefined])
  })
})
