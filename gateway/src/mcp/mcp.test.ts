import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { exampleOf, identityApi, type Json, selfContained } from '@carapace/api'
import { httpCall, newWallet } from '@carapace/testing'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'
import { words } from './tools/words.ts'
import { tools } from './tools.ts'

/** The client of the protocol's own SDK, unchanged. */
async function connected(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  return client
}

const call = async (client: Client, name: string, args: object = {}, meta?: object): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: { ...args }, ...(meta ? { _meta: { ...meta } } : {}) })) as CallToolResult

/** The error body in a result that is an error. */
const errorIn = (result: CallToolResult) => {
  assert.equal(result.isError, true, JSON.stringify(result))
  const [content] = result.content
  return JSON.parse(content?.type === 'text' ? content.text : '') as {
    code: string
    status: number
    errors?: { path: string; message: string }[]
    retryAfter?: number
  }
}

describe('the tools of MCP', () => {
  let harness: Harness
  let client: Client
  let agent: ReturnType<Harness['agent']>
  before(async () => {
    harness = await startHarness()
    agent = harness.agent()
    client = await connected(harness.url, { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet })
  })
  after(async () => {
    await client.close()
    await harness.close()
  })
  beforeEach(() => {
    harness.upstream.seen.length = 0
    harness.upstream.answer = (_seen, response) => json(response, 200, {})
  })

  it('are listed with words for a model, schemas and whether they change anything', async () => {
    const { tools: listed } = await client.listTools()

    assert.deepEqual(
      listed.map(({ name }) => name),
      ['get_me', ...tools.keys()],
    )
    // all of it goes into the memory of a model, before its work begins
    assert.ok(listed.length <= 34, `${listed.length} tools`)
    assert.ok(JSON.stringify(listed).length <= 60_000, `${JSON.stringify(listed).length} characters`)
    for (const { name, title, description, inputSchema, outputSchema, annotations } of listed) {
      assert.match(name, /^[a-z]+(_[a-z0-9]+)*$/)
      assert.ok(title && description && description.length > 30, name)
      assert.deepEqual([inputSchema.type, outputSchema?.type], ['object', 'object'], name)
      assert.equal(inputSchema.additionalProperties, false, name)
      for (const [field, schema] of Object.entries(inputSchema.properties ?? {}) as [string, Json][])
        assert.ok(schema.description ?? schema.enum, `${name}: ${field} has no words`)
      assert.equal(annotations?.readOnlyHint, name === 'get_me' || tools.get(name)!.endpoint.rate === 'read', name)
    }
    const descriptions = listed.flatMap(({ name, inputSchema }) =>
      Object.entries((inputSchema.properties ?? {}) as Record<string, Json>).map(([field, { description }]) => ({ name, field, description })),
    )
    const isUsed = ([key, text]: [string, string]) =>
      descriptions.some(({ name, field, description }) => description === text && [field, `${name}.${field}`].includes(key))
    assert.deepEqual(
      Object.entries(words).filter(word => !isUsed(word)),
      [],
      'words that no tool needs, or that the declarations have by now',
    )
    const described = listed.find(({ name }) => name === 'list_gigs')!
    assert.deepEqual((described.inputSchema.properties!.status as Json).enum, [
      'open',
      'assigned',
      'pending_validation',
      'completed',
      'cancelled',
      'disputed',
    ])
  })

  it('reach their endpoint with what they were given, and answer what they declare', async () => {
    const { tools: listed } = await client.listTools()
    for (const { name, inputSchema } of listed.filter(one => tools.has(one.name))) {
      harness.upstream.seen.length = 0
      const { endpoint } = tools.get(name)!
      const example = exampleOf(selfContained(endpoint.response!, 'output'), () => assert.fail())
      harness.upstream.answer = (_seen, response) => json(response, endpoint.status, example)
      const args = exampleOf(inputSchema as Json, () => assert.fail()) as Record<string, unknown>
      const { actor, names } = tools.get(name)!
      if (actor) args[names[actor] ?? actor] = agent.agentId

      const result = await call(client, name, args)

      assert.equal(result.isError, undefined, `${name}: ${JSON.stringify(result)}`)
      const [seen] = harness.upstream.seen
      assert.equal(seen?.method, endpoint.method.toUpperCase(), name)
      const pattern = new RegExp(`^${endpoint.path.replace(/:[A-Za-z]+/g, '[^/?]+')}(\\?|$)`)
      assert.match(seen!.url, pattern, name)
    }
  })

  it('act for the caller whom the headers of the request name, and fill in its id', async () => {
    harness.upstream.answer = (_seen, response) => json(response, 200, { notifications: [], unreadCount: 0, total: 0, limit: 20, offset: 0 })
    const result = await call(client, 'list_notifications', { unreadOnly: 'true' })

    assert.equal(result.isError, undefined, JSON.stringify(result))
    const [seen] = harness.upstream.seen
    assert.equal(seen?.url, `/api/agents/${agent.agentId}/notifications?unreadOnly=true`)
    assert.equal(seen?.context?.agent?.agentId, agent.agentId)
  })

  it('are refused as the API refuses them: as results that are errors, with the error body', async () => {
    const anonymous = await connected(harness.url)
    const draft = { title: 'Audit', description: 'Read it', budget: 40 }

    assert.equal(errorIn(await call(anonymous, 'post_gig', draft)).code, 'AUTH_REQUIRED')
    assert.deepEqual(errorIn(await call(anonymous, 'list_notifications')).errors, [{ path: 'agentId', message: 'is needed' }])
    harness.upstream.answer = (_seen, response) => json(response, 409, { message: 'Already applied', code: 'ALREADY_APPLIED', status: 409 })
    const refused = errorIn(await call(client, 'apply_to_gig', { gigId: randomUUID(), proposal: 'I can' }))
    assert.deepEqual([refused.code, refused.status], ['ALREADY_APPLIED', 409])
    await assert.rejects(call(client, 'no_such_tool'), { code: -32_602 })
    await anonymous.close()
  })

  it('refuse a field that there is not, and name those that there are', async () => {
    const faults = [
      errorIn(await call(client, 'search_agents', { minscore: 90 })),
      errorIn(await call(client, 'post_gig', { title: 'Audit', description: 'Read it', budjet: 40, idempotencyKey: 'k' })),
      // it names an effect, and a read has none
      errorIn(await call(client, 'list_gigs', { idempotencyKey: 'k' })),
    ]

    assert.deepEqual(
      faults.map(({ code, errors }) => [code, errors?.map(({ path }) => path)]),
      [
        ['VALIDATION_ERROR', ['minscore']],
        ['VALIDATION_ERROR', ['budjet']],
        ['VALIDATION_ERROR', ['idempotencyKey']],
      ],
    )
    assert.match(faults[0]!.errors![0]!.message, /There are: skills, minScore, /)
    assert.deepEqual(harness.upstream.seen, [])
  })

  it('say to a caller who it is', async () => {
    const newAgent = newWallet()
    const named: Record<string, string>[] = [{}, { 'x-wallet-address': newAgent }, { 'x-agent-id': randomUUID() }]
    const others = await Promise.all(named.map(headers => connected(harness.url, headers)))
    const nobody = { walletAddress: null, agentId: null, isRegistered: false, isSigned: false, authMode: 'plain' }

    const answers = await Promise.all([client, ...others].map(async one => (await call(one, 'get_me')).structuredContent))

    assert.deepEqual(answers, [
      { ...nobody, walletAddress: agent.wallet.toLowerCase(), agentId: agent.agentId, isRegistered: true },
      nobody,
      { ...nobody, walletAddress: newAgent.toLowerCase() },
      nobody,
    ])
    const mixed = await connected(harness.url, { 'x-agent-id': agent.agentId, 'x-wallet-address': newAgent })
    assert.equal(errorIn(await call(mixed, 'get_me')).code, 'WALLET_MISMATCH')
    for (const one of [...others, mixed]) await one.close()
  })

  it('register the wallet of the caller where none is named', async () => {
    const newAgent = newWallet()
    const other = await connected(harness.url, { 'x-wallet-address': newAgent })
    harness.upstream.answer = (_seen, response) => json(response, 409, { message: 'no', code: 'DUPLICATE_HANDLE', status: 409 })

    assert.equal(errorIn(await call(other, 'register_agent', { handle: 'alice' })).code, 'DUPLICATE_HANDLE')
    await other.close()

    const [seen] = harness.upstream.seen
    assert.deepEqual(JSON.parse(seen!.body.toString()), { handle: 'alice', walletAddress: newAgent.toLowerCase() })
  })

  it('pass an idempotency key on', async () => {
    harness.upstream.answer = (_seen, response) => json(response, 409, { message: 'Already applied', code: 'ALREADY_APPLIED', status: 409 })
    await call(client, 'apply_to_gig', { gigId: randomUUID(), proposal: 'I can', idempotencyKey: 'once-1' })

    const [seen] = harness.upstream.seen
    assert.deepEqual([seen?.context?.idempotencyKey, JSON.parse(seen!.body.toString())], ['once-1', { proposal: 'I can' }])
  })

  it('say how many there are of a bare list', async () => {
    harness.upstream.answer = (_seen, response) => json(response, 200, [], { 'x-total-count': '7' })

    assert.deepEqual((await call(client, 'list_gigs')).structuredContent, { gigs: [], total: 7 })
  })

  it('refuse a field that has no form in an address, and a message that is nested too deep', async () => {
    const faults = [
      errorIn(await call(client, 'get_gig', { gigId: { toString: 1 } })),
      errorIn(await call(client, 'list_gigs', { status: [{ toString: 1 }] })),
    ]
    assert.deepEqual(
      faults.map(({ code, errors }) => [code, errors?.[0]?.path]),
      [
        ['VALIDATION_ERROR', 'gigId'],
        ['VALIDATION_ERROR', 'status'],
      ],
    )
    let deep: object = {}
    for (let n = 0; n < 3_000; n++) deep = { deep }
    await assert.rejects(call(client, 'post_gig', { title: deep }), /nested/)
    assert.deepEqual(harness.upstream.seen, [])
  })

  it('have resources and prompts with them', async () => {
    harness.upstream.answer = ({ url }, response) =>
      url.endsWith('/nobody')
        ? json(response, 404, { message: 'Not found', code: 'NOT_FOUND', status: 404 })
        : json(response, 200, { handle: 'alice' })
    const { resourceTemplates } = await client.listResourceTemplates()
    const { prompts } = await client.listPrompts()
    const { contents } = await client.readResource({ uri: 'agent://alice' })
    const { messages } = await client.getPrompt({ name: 'hire', arguments: { work: 'an audit', budget: '40' } })

    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ['agent://{handle}', 'gig://{id}', 'receipt://{id}', 'offers://{agentId}', 'treasury://{agentId}'],
    )
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['hire', 'find_work', 'judge'],
    )
    assert.deepEqual(contents, [{ uri: 'agent://alice', mimeType: 'application/json', text: '{"handle":"alice"}' }])
    assert.equal(harness.upstream.seen[0]?.url, '/api/agents/alice')
    assert.match(JSON.stringify(messages), /for 40 USDC on Carapace: an audit/)
    // private ones are read as the caller whom the request names
    for (const uri of [`offers://${agent.agentId}`, `treasury://${agent.agentId}`]) await client.readResource({ uri })
    const [offers, treasury] = harness.upstream.seen.slice(-2)
    assert.deepEqual(
      [offers?.url, treasury?.url, treasury?.context?.agent?.agentId],
      [`/api/agents/${agent.agentId}/offers`, `/api/agents/${agent.agentId}/treasury/balance`, agent.agentId],
    )
    for (const uri of ['agent://nobody', 'other://x', 'agent://a/b', 'agent://..'])
      await assert.rejects(client.readResource({ uri }), { code: -32_002 }, uri)
    await assert.rejects(client.getPrompt({ name: 'hire', arguments: { work: 'x' } }), { code: -32_602 })
    // tools that prompts name exist
    for (const prompt of ['hire', 'find_work', 'judge']) {
      const { messages: shown } = await client.getPrompt({ name: prompt, arguments: { work: 'x', budget: '1', skills: 'x' } })
      const named = [...JSON.stringify(shown).matchAll(/\b[a-z]+_[a-z_]+\b/g)].map(([name]) => name)
      assert.deepEqual(
        named.filter(name => !tools.has(name) && name !== 'get_me'),
        [],
        prompt,
      )
    }
  })
})

describe('completion in MCP', () => {
  let harness: Harness
  let client: Client
  before(async () => {
    harness = await startHarness()
    client = await connected(harness.url)
  })
  after(async () => {
    await client.close()
    await harness.close()
  })
  const ofHandle = (value: string) => client.complete({ ref: { type: 'ref/resource', uri: 'agent://{handle}' }, argument: { name: 'handle', value } })

  it('offers the handles that begin so', async () => {
    harness.upstream.answer = (_seen, response) => {
      const example = exampleOf(selfContained(identityApi.endpoints.searchAgents.response!, 'output'), () => assert.fail()) as { agents: object[] }
      const agents = ['Alice', 'malice', 'ali-7'].map(handle => ({ ...example.agents[0], handle }))
      json(response, 200, { ...example, agents })
    }

    assert.deepEqual((await ofHandle('ali')).completion, { values: ['Alice', 'ali-7'], total: 2, hasMore: false })
    assert.equal(harness.upstream.seen[0]?.url, '/api/agents/search?q=ali&limit=100')
  })

  it('offers nothing where nothing is known, and refuses what there is not', async () => {
    harness.upstream.answer = (_seen, response) => json(response, 503, { message: 'away', code: 'DEPENDENCY_UNAVAILABLE', status: 503 })
    const ofPrompt = (name: string) => client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: 'work', value: 'a' } })

    assert.deepEqual([(await ofHandle('ali')).completion.values, (await ofPrompt('hire')).completion.values], [[], []])
    await assert.rejects(ofPrompt('no_such'), { code: -32_602 })
  })
})

describe('the MCP door', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())
  const headers = { accept: 'application/json, text/event-stream' }
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const post = (more: { headers?: Record<string, string>; body?: unknown; raw?: string } = {}) =>
    httpCall(harness.url, 'POST', '/mcp', { body: ping, ...more, headers: { ...headers, ...more.headers } })

  it('has no sessions and no streams of its own', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await httpCall(harness.url, method, '/mcp', { headers })
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'], method)
    }
    const { status, body, headers: answered } = await post()
    assert.deepEqual([status, body, answered.get('mcp-session-id')], [200, { jsonrpc: '2.0', id: 1, result: {} }, null])
  })

  it('refuses pages of other sites, and names that were pointed at it', async () => {
    assert.equal((await post({ headers: { origin: 'https://evil.example' } })).status, 403)
    assert.equal((await post({ headers: { origin: harness.url } })).status, 200)
    const status = await new Promise(resolve => {
      const sent = request(`${harness.url}/mcp`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', host: 'evil.example' },
      })
      sent.on('response', response => resolve(response.resume().statusCode))
      sent.end(JSON.stringify(ping))
    })
    assert.equal(status, 403)
  })

  it('says what is wrong with a message that is none', async () => {
    assert.equal((await post({ raw: '{' })).body.error.code, -32_700)
    assert.equal((await post({ body: { jsonrpc: '2.0', id: 1, method: 'no/such' } })).body.error.code, -32_601)
    assert.equal((await post({ headers: { accept: 'application/json' } })).status, 406)
    assert.equal((await post({ headers: { 'content-type': 'text/plain' }, raw: '{}' })).status, 415)
    assert.equal((await post({ headers: { 'mcp-protocol-version': '1999-01-01' } })).status, 400)
  })
})

describe('the rate of MCP', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ RATE_LIMIT_READ: '4', RATE_LIMIT_WRITE: '2' })
  })
  after(() => harness.close())
  const headers = { accept: 'application/json, text/event-stream' }
  const post = async (method: string, params: object = {}) =>
    httpCall(harness.url, 'POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method, params }, headers })

  it('is that of the calls it makes: each counts once, as what it is', async () => {
    harness.upstream.answer = (_seen, response) => json(response, 200, [])
    for (let i = 0; i < 3; i++) assert.equal((await post('tools/call', { name: 'list_gigs', arguments: {} })).body.result.isError, undefined)
    assert.equal((await post('tools/list')).status, 200)

    const over = errorIn((await post('tools/call', { name: 'list_gigs', arguments: {} })).body.result)
    assert.equal(over.code, 'RATE_LIMITED')
    assert.ok((over.retryAfter ?? 0) > 0)
    assert.equal((await post('tools/list')).status, 429)
    assert.equal((await post('tools/call', { name: 'list_notifications', arguments: {} })).status, 429)
    const before = harness.upstream.agentQuestions
    const me = {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me' } },
      headers: { ...headers, 'x-wallet-address': newWallet() },
    }
    assert.deepEqual([(await httpCall(harness.url, 'POST', '/mcp', me)).status, harness.upstream.agentQuestions - before], [429, 0])
    // writes have a window of their own
    assert.equal(errorIn((await post('tools/call', { name: 'cancel_gig', arguments: { gigId: randomUUID() } })).body.result).code, 'AUTH_REQUIRED')
  })
})

describe('a batch of MCP', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ RATE_LIMIT_READ: '20' })
  })
  after(() => harness.close())
  const post = (body: object[], more: Record<string, string> = {}) =>
    httpCall(harness.url, 'POST', '/mcp', { body, headers: { accept: 'application/json, text/event-stream', ...more } })
  const some = (count: number, method: string, params: object = {}) =>
    Array.from({ length: count }, (_, i) => ({ jsonrpc: '2.0', id: i + 1, method, params }))
  const gigs = { name: 'list_gigs', arguments: {} }

  it('is answered also where it cancels its own requests', async () => {
    harness.upstream.answer = (_seen, response) => json(response, 200, [])
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    const { status, body } = await post([...some(1, 'tools/call', gigs), cancel])

    assert.deepEqual([status, [body].flat().map(({ id }) => id)], [200, [1]])
  })

  it('finds its caller once', async () => {
    const before = harness.upstream.agentQuestions
    const { body } = await post(some(4, 'tools/call', { name: 'list_notifications', arguments: {} }), { 'x-wallet-address': newWallet() })

    assert.deepEqual([body.length, harness.upstream.agentQuestions - before], [4, 1])
  })

  it('holds few messages, and each of them counts before anything is done', async () => {
    const over = await post(some(11, 'tools/list'))
    assert.deepEqual([over.status, over.body.error.code], [400, -32_600])
    harness.upstream.seen.length = 0
    const answers = [await post(some(10, 'tools/list')), await post(some(10, 'tools/call', gigs))]

    assert.deepEqual([answers.map(({ status }) => status), harness.upstream.seen.length], [[200, 429], 0])
  })
})
