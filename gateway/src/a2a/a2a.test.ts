import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { AgentCard, type Message, Role, type SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk'
import { type Client, ClientFactory } from '@a2a-js/sdk/client'
import { a2aCapabilities, a2aInterface } from '@carapace/api'
import { httpCall, until } from '@carapace/testing'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'

const dataOf = (task: Task): unknown => {
  const content = task.artifacts[0]?.parts[0]?.content
  return content?.$case === 'data' ? content.value : undefined
}
const textOf = (task: Task): string =>
  (task.status?.message?.parts ?? []).map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('')

type Input = string | Record<string, unknown>
const messageOf = (input: Input, more: Partial<Message> = {}): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      typeof input === 'string'
        ? { content: { $case: 'text', value: input }, mediaType: 'text/plain', filename: '', metadata: undefined }
        : { content: { $case: 'data', value: input }, mediaType: 'application/json', filename: '', metadata: undefined },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
  configuration: undefined,
  metadata: undefined,
})

describe('A2A', function () {
  this.timeout(60_000)
  let harness: Harness
  let client: Client
  let agent: ReturnType<Harness['agent']>
  let receiver: Server
  let received: { url: string | undefined; headers: Record<string, unknown>; body: { task: { id: string; status: { state: string } } } }[]
  let statuses: number[]
  before(async () => {
    harness = await startHarness({ WEBHOOK_LOOPBACK: 'yes' })
    agent = harness.agent()
    client = await clientOf()
    const receive = async (request: IncomingMessage, response: ServerResponse) => {
      received.push({ url: request.url, headers: request.headers, body: JSON.parse(await text(request)) })
      response.writeHead(statuses.shift() ?? 200).end()
    }
    receiver = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
  })
  after(async () => {
    receiver.closeAllConnections()
    receiver.close()
    await harness.close()
  })
  beforeEach(() => {
    received = []
    statuses = []
    harness.upstream.seen.length = 0
    harness.upstream.answer = (_seen, response) => json(response, 200, {})
  })
  /** The client of the protocol's own SDK, unchanged. */
  const clientOf = (tenant = '') =>
    new ClientFactory().createFromAgentCard(
      AgentCard.fromJSON({
        name: 'Carapace',
        capabilities: a2aCapabilities,
        supportedInterfaces: [{ ...a2aInterface, url: `${harness.url}${a2aInterface.path}`, tenant }],
      }),
    )
  const asAgent = () => ({ serviceParameters: { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet } })
  const send = async (input: Input, options = {}, more: Partial<Message> = {}): Promise<Task> =>
    (await client.sendMessage(messageOf(input, more), options)) as Task
  const rpc = (body: unknown, headers: Record<string, string> = { 'a2a-version': '1.0' }) => httpCall(harness.url, 'POST', '/a2a', { body, headers })
  /** A gig as the marketplace has it, to callers and to the gateway itself. */
  const gigWith = (status: string) => {
    const gig = { id: randomUUID(), status, escrowStatus: 'locked', validationId: null, updatedAt: '2026-01-01T00:00:00.000Z' }
    harness.upstream.gigs.set(gig.id, gig)
    harness.upstream.answer = ({ url }, response) => json(response, 200, harness.upstream.gigs.get(url.split('/').at(-1)!) ?? gig)
    return gig
  }

  it('answers a skill that a message names as data or as the first word of its text', async () => {
    harness.upstream.answer = ({ url }, response) => json(response, 200, { url })

    const byData = await send({ skill: 'find_agents', skills: 'solidity', minScore: 50 })
    const byText = await send('check_reputation alice')

    assert.deepEqual(
      [byData, byText].map(({ status }) => status?.state),
      [TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_COMPLETED],
    )
    assert.deepEqual(dataOf(byData), { url: '/api/agents/discover?skills=solidity&minScore=50' })
    assert.deepEqual(dataOf(byText), { url: '/api/agents/alice/reputation' })
  })

  it('says what it understands, and goes on with the same task', async () => {
    const first = await send('hello')
    const next = await send('find_agents rust', {}, { taskId: first.id, contextId: first.contextId })

    assert.equal(first.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED)
    assert.match(textOf(first), /find_agents.*gig_status/)
    assert.deepEqual([next.id, next.status?.state], [first.id, TaskState.TASK_STATE_COMPLETED])
  })

  it('acts for the caller, and says how a refusal can be mended', async () => {
    const draft = { skill: 'post_gig', title: 'Audit', description: 'Read it', budget: 40 }
    harness.upstream.answer = ({ context }, response) => json(response, 201, { posterId: context?.agent?.agentId })

    assert.deepEqual(dataOf(await send(draft, asAgent())), { posterId: agent.agentId })
    assert.equal((await send(draft)).status?.state, TaskState.TASK_STATE_AUTH_REQUIRED)
    assert.equal((await send({ skill: 'gig_status' })).status?.state, TaskState.TASK_STATE_INPUT_REQUIRED)
    const misspelt = await send({ skill: 'find_agents', minscore: 90 })
    assert.equal(misspelt.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED)
    assert.match(JSON.stringify(misspelt.status?.message), /"minscore".*There are: skills, minScore/)
    harness.upstream.answer = (_seen, response) => json(response, 404, { message: 'Not found', code: 'NOT_FOUND', status: 404 })
    const refused = await send('gig_status nowhere')
    assert.deepEqual([refused.status?.state, textOf(refused)], [TaskState.TASK_STATE_REJECTED, 'Not found'])
  })

  it('offers a gig that is sent to one agent to that agent', async () => {
    const worker = harness.agent()
    const hire = await clientOf('worker')
    harness.upstream.answer = ({ url }, response) => json(response, 200, { id: url.startsWith('/api/agents') ? worker.agentId : 'gig-1', url })

    const task = (await hire.sendMessage(messageOf({ skill: 'post_gig', title: 'Audit', description: 'Read', budget: 40 }), asAgent())) as Task

    assert.deepEqual(
      harness.upstream.seen.map(({ method, url }) => `${method} ${url}`),
      ['GET /api/agents/worker', 'POST /api/gigs', `POST /api/gigs/gig-1/offer/${worker.agentId}`],
    )
    assert.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED)
  })

  it('shows tasks to their own callers only', async () => {
    const task = await send({ skill: 'find_agents' }, asAgent())
    const other = harness.agent()
    const asOther = { serviceParameters: { 'x-agent-id': other.agentId, 'x-wallet-address': other.wallet } }

    assert.equal((await client.getTask({ id: task.id, tenant: '' }, asAgent())).id, task.id)
    await assert.rejects(client.getTask({ id: task.id, tenant: '' }, asOther), /not found/i)
    await assert.rejects(client.getTask({ id: task.id, tenant: '' }), /not found/i)
    const listOf = async (options: object) =>
      (await rpc({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }, { 'a2a-version': '1.0', ...options })).body.result
    const own = await listOf({ 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet })
    assert.ok(own.tasks.some(({ id }: { id: string }) => id === task.id))
    assert.deepEqual(
      [(await listOf({ 'x-agent-id': other.agentId, 'x-wallet-address': other.wallet })).totalSize ?? 0, (await listOf({})).totalSize ?? 0],
      [0, 0],
    )
  })

  it('streams what happens to a gig until it is settled, and lets others join', async () => {
    const gig = gigWith('open')
    const states: string[] = []
    const stream = client.sendMessageStream(messageOf(`gig_status ${gig.id}`))
    let taskId = ''
    const joined: string[] = []
    let joining: Promise<void> | undefined
    for await (const { payload } of stream) {
      if (payload?.$case === 'task') taskId = payload.value.id
      if (payload?.$case !== 'statusUpdate') continue
      const { status } = payload.value
      const [text] = (status?.message?.parts ?? []).map(({ content }) => (content?.$case === 'text' ? content.value : ''))
      states.push(text ?? TaskState[status!.state])
      if (text === 'The gig is open') {
        joining = (async () => {
          for await (const { payload: later } of client.resubscribeTask({ id: taskId, tenant: '' }))
            if (later?.$case === 'statusUpdate') joined.push(TaskState[later.value.status!.state])
        })()
        gig.status = 'assigned'
      }
      if (text === 'The gig is assigned') gig.status = 'completed'
    }
    await joining

    assert.deepEqual(
      states.filter(state => state !== 'The gig is completed'),
      ['The gig is open', 'The gig is assigned', 'TASK_STATE_COMPLETED'],
    )
    assert.equal(joined.at(-1), 'TASK_STATE_COMPLETED')
    assert.deepEqual(dataOf(await client.getTask({ id: taskId, tenant: '' })), { ...gig })
  })

  const pushedTo = () => {
    const { port } = receiver.address() as AddressInfo
    return { id: '', taskId: '', tenant: '', url: `http://127.0.0.1:${port}/hook`, token: 'secret-token', authentication: undefined }
  }
  const follow = async (gig: { id: string }): Promise<Task> => {
    const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: pushedTo(), returnImmediately: true }
    return (await client.sendMessage({ ...messageOf(`gig_status ${gig.id}`), configuration }, asAgent())) as Task
  }
  const pushesOf = ({ id }: Task) => received.filter(({ body }) => body.task.id === id)
  const endOf = (task: Task) => pushesOf(task).find(({ body }) => body.task.status.state === 'TASK_STATE_COMPLETED')

  it('pushes what happens to a gig, again where that failed, and no more once it is cancelled', async () => {
    const [gig, other] = [gigWith('open'), gigWith('open')]
    // of what is new as well: nothing else happens to the gig then
    statuses = [500, 500]
    const task = await follow(gig)
    await until(
      'a failed push comes again',
      () =>
        isDeepStrictEqual(
          ...(pushesOf(task)
            .slice(-2)
            .map(({ body }) => body) as [unknown, unknown]),
        ),
      30,
    )
    gig.status = 'completed'

    const last = await until('the end is pushed', () => endOf(task), 30)

    assert.deepEqual(
      [last.url, last.headers['x-a2a-notification-token'], last.headers['content-type']],
      ['/hook', 'secret-token', 'application/a2a+json'],
    )
    const [cancelled, followed] = [await follow(other), await follow(other)]
    await client.cancelTask({ id: cancelled.id, tenant: '', metadata: undefined }, asAgent())
    other.status = 'completed'
    // both would be pushed in the same round
    await until('the end of the other is pushed', () => endOf(followed), 30)
    assert.equal(endOf(cancelled), undefined)
  })

  it('lets its caller see and change where it pushes to', async () => {
    const gig = gigWith('open')
    const { id: taskId } = await follow(gig)
    const ids = { taskId, tenant: '' }
    const listed = async () => (await client.listTaskPushNotificationConfig({ ...ids, pageSize: 0, pageToken: '' }, asAgent())).configs
    const made = await client.createTaskPushNotificationConfig({ ...pushedTo(), ...ids, id: 'mine', url: `${pushedTo().url}/2` }, asAgent())
    const found = await client.getTaskPushNotificationConfig({ ...ids, id: made.id }, asAgent())

    assert.deepEqual([found.url, (await listed()).map(({ url }) => url).sort()], [`${pushedTo().url}/2`, [pushedTo().url, `${pushedTo().url}/2`]])
    for (const { id } of await listed()) if (id !== made.id) await client.deleteTaskPushNotificationConfig({ ...ids, id }, asAgent())
    received = []
    gig.status = 'completed'
    await until('the end is pushed', () => received.find(({ body }) => body.task.status.state === 'TASK_STATE_COMPLETED'), 30)
    assert.deepEqual([...new Set(received.map(({ url }) => url))], ['/hook/2'])
    await assert.rejects(client.getTaskPushNotificationConfig({ ...ids, id: made.id }), /not found/i)
  })

  const callerHeaders = () => ({ 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet })

  it('pushes to no private address, nor for a caller that nobody knows', async () => {
    const gig = gigWith('open')
    const create = async (url: string, headers: Record<string, string>) => {
      const request = {
        message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: `gig_status ${gig.id}` }] },
        configuration: { taskPushNotificationConfig: { url } },
      }
      return (await rpc({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: request }, { 'a2a-version': '1.0', ...headers })).body
    }
    for (const url of ['https://10.0.0.1/', 'http://169.254.169.254/', 'https://[::ffff:10.0.0.1]/', 'ftp://127.0.0.1/', 'nothing'])
      assert.match((await create(url, callerHeaders())).error.message, /^url: .*(https|not public)/, url)
    assert.match((await create('https://127.0.0.1/', {})).error.message, /registered/)
    // what is there cannot be tried out: a private name and one that nobody knows are refused in the same words
    const refusalOf = async (host: string) => (await create(`https://${host}/`, callerHeaders())).error.message.replace(host, 'it')
    assert.equal(await refusalOf('name.invalid'), await refusalOf('10.0.0.1'))
  })

  it('ends the stream of a task that waits for its caller, which another message of anybody does not disturb', async () => {
    harness.upstream.answer = (_seen, response) => json(response, 401, { message: 'Who are you?', code: 'AUTH_REQUIRED', status: 401 })
    const version = { 'a2a-version': '1.0', 'content-type': 'application/json' }
    const send = (method: string, more: object) => {
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'post_gig {}' }], referenceTaskIds: ['a', 'a'], ...more }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message, tenant: 'x'.repeat(100) } })
      return fetch(`${harness.url}/a2a`, { method: 'POST', headers: version, body, signal: AbortSignal.timeout(20_000) })
    }
    const streamed = await (await send('SendStreamingMessage', {})).text()
    const [, taskId] = /"id":"([0-9a-f-]{36})"/.exec(streamed) ?? []
    assert.match(streamed, /TASK_STATE_AUTH_REQUIRED/)

    const again = (await (await send('SendMessage', { taskId })).json()) as { result?: { task: { id: string } } }
    assert.equal(again.result?.task.id, taskId)
    assert.equal(
      (await rpc({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: { pageToken: '-5' } }, { ...version, ...callerHeaders() })).body.error,
      undefined,
    )
  })

  it('refuses a message that is too long', async () => {
    const text = `gig_status ${'x'.repeat(40_000)}`
    const params = { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] } }
    assert.equal((await rpc({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params })).body.error.code, -32_600)
  })

  it('knows no operators: their keys cannot be tried here', async () => {
    const headers = { 'a2a-version': '1.0', 'x-admin-wallet': `0x${'0a'.repeat(20)}`, 'x-admin-key': 'wrong' }
    assert.equal((await rpc({ jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: randomUUID() } }, headers)).status, 200)
  })

  it('cancels a task that follows a gig', async () => {
    const gig = gigWith('open')
    const request = messageOf(`gig_status ${gig.id}`)
    const task = (await client.sendMessage(
      { ...request, configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true } },
      asAgent(),
    )) as Task
    const working = async () => (await client.getTask({ id: task.id, tenant: '' }, asAgent())).status?.state === TaskState.TASK_STATE_WORKING
    await until('it works', working)

    assert.equal((await client.cancelTask({ id: task.id, tenant: '', metadata: undefined }, asAgent())).status?.state, TaskState.TASK_STATE_CANCELED)
  })

  it('speaks version 1.0 and says so', async () => {
    const getTask = { jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: randomUUID() } }
    for (const headers of [{}, { 'a2a-version': '0.3' }, { 'a2a-version': '9' }]) {
      const { status, body } = await rpc(getTask, headers as Record<string, string>)
      assert.deepEqual([status, body.id, body.error.code], [200, 7, -32_009], JSON.stringify(headers))
    }
    assert.equal((await rpc(getTask)).body.error.code, -32_001)
    assert.equal((await rpc({ jsonrpc: '2.0', id: 7, method: 'NoSuchMethod', params: {} })).body.error.code, -32_601)
    assert.equal((await httpCall(harness.url, 'POST', '/a2a', { raw: '{', headers: { 'a2a-version': '1.0' } })).body.error.code, -32_700)
    assert.equal((await httpCall(harness.url, 'GET', '/a2a')).status, 405)
    assert.equal((await rpc(getTask, { 'a2a-version': '1.0', origin: 'https://evil.example' })).status, 403)
    assert.equal((await rpc(getTask, { 'a2a-version': '1.0', 'x-agent-id': randomUUID() })).status, 401)
  })
})
