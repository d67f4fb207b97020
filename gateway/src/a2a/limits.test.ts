import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { limits } from '@carapace/api'
import { until } from '@carapace/testing'
import { a2aClient, from } from '../testing/a2a-client.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

const start = () => startHarness({ TRUSTED_PROXIES: '127.0.0.1' })
const oneSite = 12

describe('A2A', function () {
  this.timeout(60_000)
  let harness: Harness
  let client: ReturnType<typeof a2aClient>
  before(async () => {
    harness = await start()
    client = a2aClient(harness)
  })
  after(() => harness.close())

  it('follows so many gigs for one agent, or one site, at most', async () => {
    const tasks = []
    for (let n = 0; n < limits.tasks.follows; n++) tasks.push(await client.follow(from(oneSite, n)))
    const over = await client.follow(from(oneSite, 200))

    assert.deepEqual([...new Set(tasks.map(({ status }) => status.state))], ['TASK_STATE_WORKING'])
    assert.deepEqual([over.status.state, over.status.message.parts.find(({ data }) => data)?.data?.code], ['TASK_STATE_REJECTED', 'RATE_LIMITED'])
    const { agentId, wallet } = harness.agent()
    const others = [await client.follow(from(34)), await client.follow({ ...from(oneSite), 'x-agent-id': agentId, 'x-wallet-address': wallet })]
    assert.deepEqual(
      others.map(({ status }) => status.state),
      ['TASK_STATE_WORKING', 'TASK_STATE_WORKING'],
    )

    await client.rpc('CancelTask', { id: tasks[0]!.id }, from(oneSite))
    assert.equal((await client.follow(from(oneSite))).status.state, 'TASK_STATE_WORKING')
  })

  it('has so many streams open to one agent, or one site, at most', async () => {
    const { id } = await client.follow(from(56))
    const readers = Array.from({ length: limits.tasks.streams }, () => new AbortController())
    const statuses = []
    for (const [n, reader] of readers.entries()) statuses.push((await client.subscribe(id, from(56, n), reader.signal)).status)

    assert.deepEqual([...new Set(statuses)], [200])
    const refused = await client.subscribe(id, from(56, 200))
    assert.deepEqual([refused.status, Number(refused.retryAfter) > 0], [429, true])
    const other = new AbortController()
    assert.equal((await client.subscribe(id, from(78), other.signal)).status, 200)

    readers[0]!.abort()
    await until('there is room again', async () => (await client.subscribe(id, from(56), other.signal)).status === 200)
    for (const reader of [...readers, other]) reader.abort()
  })

  it('refuses a message that is nested too deep', async () => {
    let data: object = {}
    for (let n = 0; n < 3_000; n++) data = { data }
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data }] }

    assert.equal((await client.rpc('SendMessage', { message })).error.code, -32_600)
  })

  it('says which field of a skill has no form in an address', async () => {
    const parts = [{ data: { skill: 'gig_status', gigId: { toString: 1 } } }]
    const { result } = await client.rpc('SendMessage', { message: { messageId: randomUUID(), role: 'ROLE_USER', parts } })

    assert.equal(result.task.status.state, 'TASK_STATE_INPUT_REQUIRED')
  })
})

describe('a stream of A2A', () => {
  it('ends with the gateway', async () => {
    const harness = await start()
    const client = a2aClient(harness)
    const { id } = await client.follow(from(oneSite))
    const { reader } = await client.subscribe(id, from(oneSite))

    const closed = harness.close()
    // one that is cut would be an error
    while (!(await reader.read()).done);
    await closed
  })
})
