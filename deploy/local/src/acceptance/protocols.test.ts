import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Message, Role, type Task, TaskState, verifyAgentCardSignature } from '@a2a-js/sdk'
import { AgentCardResolver, ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { signingFetch } from '@carapace/client'
import { httpCall, until } from '@carapace/testing'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { ExactEvmScheme } from '@x402/evm'
import { x402Client } from '@x402/fetch'
import { type HDNodeWallet, Wallet } from 'ethers'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { childAroundTests } from '../testing/around-tests.ts'
import { freePorts } from '../testing/ports.ts'

const program = fileURLToPath(new URL('../../../../libs/mcp-stdio/bin/carapace-mcp.js', import.meta.url))
type Fields = Record<string, unknown>

/** An agent that has nothing but the tools. */
interface ToolUser {
  id: string
  handle: string
  wallet: HDNodeWallet
  client: Client
}

describe('agents that speak MCP and A2A', function () {
  this.timeout(300_000)
  // signatures are over the name of the gateway: its port has to be known beforehand
  const child = childAroundTests(async () => ({ PORT: String(await freePorts(1)), AUTH_MODE: 'signed', CHECK_ANSWERS: 'true' }))
  let folder: string
  const users: ToolUser[] = []
  let [poster, worker, ...panel]: ToolUser[] = []
  let gigId: string

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-protocols-'))
    for (const name of ['poster', 'worker', 'judge-1', 'judge-2', 'judge-3']) users.push(await newUser(name))
    ;[poster, worker, ...panel] = users
  })
  after(async () => {
    for (const { client } of users) await client.close()
    await rm(folder, { recursive: true })
  })

  /** The client of the SDK, by carapace-mcp with a key file, or over HTTP with signatures. It judges each answer by the schema that the tool has listed. */
  async function newUser(name: string): Promise<ToolUser> {
    const wallet = Wallet.createRandom()
    const client = new Client({ name, version: '1.0.0' })
    const keyFile = path.join(folder, name)
    await writeFile(keyFile, wallet.privateKey)
    const byProgram = new StdioClientTransport({
      command: process.execPath,
      args: [program, '--url', child.url, '--key-file', keyFile],
      stderr: 'ignore',
    })
    const overHttp = new StreamableHTTPClientTransport(new URL(`${child.url}/mcp`), { fetch: signingFetch(fetch, wallet) as never })
    await client.connect((name.startsWith('judge') ? overHttp : byProgram) as never)
    await client.listTools()
    const before = await call({ client }, 'get_me')
    assert.deepEqual([before.walletAddress, before.isRegistered, before.isSigned], [wallet.address, false, true])
    const { agent } = (await call({ client }, 'register_agent', { handle: `${name}-${wallet.address.slice(2, 10).toLowerCase()}` })) as {
      agent: { id: string; handle: string; walletAddress: string }
    }
    assert.equal(agent.walletAddress, wallet.address)
    return { id: agent.id, handle: agent.handle, wallet, client }
  }

  const answered = async ({ client }: Pick<ToolUser, 'client'>, name: string, args: object = {}, meta?: object): Promise<CallToolResult> =>
    (await client.callTool({ name, arguments: { ...args }, ...(meta ? { _meta: { ...meta } } : {}) })) as CallToolResult

  async function call(user: Pick<ToolUser, 'client'>, name: string, args: object = {}): Promise<Fields> {
    const result = await answered(user, name, args)
    assert.equal(result.isError, undefined, `${name}: ${JSON.stringify(result)}`)
    return result.structuredContent as Fields
  }

  /** Pays the price in the first answer, by the client of x402, and calls again until the payment is settled. */
  async function paid(user: ToolUser, name: string, args: object): Promise<CallToolResult> {
    const challenge = await until('the price is named', async () => {
      const result = await answered(user, name, args)
      return (result.structuredContent as { accepts?: unknown } | undefined)?.accepts !== undefined && result
    })
    const scheme = new ExactEvmScheme(privateKeyToAccount(user.wallet.privateKey as Hex))
    const payer = x402Client.fromConfig({
      schemes: [{ network: 'eip155:84532', client: scheme }],
      spendControls: { maxAmountPerPayment: false },
    })
    const payment = await payer.createPaymentPayload(challenge.structuredContent as never)
    return until('the payment is settled', async () => {
      const result = await answered(user, name, args, { 'x402/payment': payment })
      return !/settlement_pending/.test(JSON.stringify(result.content)) && result
    })
  }
  const receiptOf = (result: CallToolResult) => result._meta?.['x402/payment-response'] as { success: boolean; transaction: string } | undefined

  const gigIs = (status: string) => until(`the gig is ${status}`, async () => (await call(poster!, 'get_gig', { gigId })).status === status, 120)

  it('settle a gig by tools alone, with a real payment', async () => {
    await httpCall(child.url, 'POST', '/api/sandbox/faucet', { body: { walletAddress: poster!.wallet.address, amount: 50 } })
    const draft = { title: 'Summarise', description: 'The paper on my desk', skillsRequired: ['summaries'], budget: 25 }
    gigId = String((await call(poster!, 'post_gig', draft)).id)
    await until('it is listed', async () =>
      ((await call(worker!, 'list_gigs', { status: 'open' })).gigs as { id: string }[]).some(({ id }) => id === gigId),
    )
    await call(worker!, 'apply_to_gig', { gigId, proposal: 'I can do this' })
    await until('the application is there', async () => ((await call(poster!, 'list_applicants', { gigId })).applicants as Fields[]).length === 1)
    await call(poster!, 'accept_applicant', { gigId, applicantAgentId: worker!.id })
    await gigIs('assigned')

    const locked = await paid(poster!, 'lock_budget', { gigId })
    assert.equal(locked.isError, undefined, JSON.stringify(locked))
    assert.match(receiptOf(locked)!.transaction, /^0x[0-9a-f]{64}$/)
    await until('the budget is locked', async () => (await call(worker!, 'get_escrow', { gigId })).status === 'locked', 60)

    const states = stateOfGig()
    await call(worker!, 'submit_deliverable', { gigId, deliverableNote: 'A summary of the paper' })
    await until(
      'the panel has voted',
      async () => {
        for (const judge of panel) {
          const { pendingVotes } = (await call(judge, 'list_pending_votes')) as { pendingVotes: { validationId: string }[] }
          for (const { validationId } of pendingVotes) {
            await call(judge, 'get_validation', { validationId })
            // the others may have decided meanwhile
            await answered(judge, 'vote_validation', { validationId, vote: 'approve', reasoning: 'It is about the right text' })
          }
        }
        return (await call(poster!, 'get_gig', { gigId })).status === 'completed'
      },
      120,
    )

    const receipt = await until(
      'the receipt is there',
      async () => {
        const { isError, structuredContent } = await answered(worker!, 'get_trust_receipt', { gigId })
        return !isError && (structuredContent as Fields)
      },
      60,
    )
    assert.equal(receipt.netPaid, 24.25)
    assert.deepEqual((await states).at(-1), TaskState[TaskState.TASK_STATE_COMPLETED])
  })

  /** Follows it as a stream of A2A, by a client that knows nothing but the address. */
  async function stateOfGig(): Promise<string[]> {
    const client = await new ClientFactory().createFromUrl(child.url)
    const states: string[] = []
    for await (const { payload } of client.sendMessageStream({
      tenant: '',
      message: messageOf(`gig_status ${gigId}`),
      configuration: undefined,
      metadata: undefined,
    }))
      if (payload?.$case === 'statusUpdate') states.push(TaskState[payload.value.status!.state])
    return states
  }

  it('read what the tools declare', async () => {
    const me = worker!
    const reads: [string, object][] = [
      ['get_me', {}],
      ['search_agents', { q: 'worker', limit: 3 }],
      ['get_agent', { agent: me.handle }],
      ['get_reputation', { agent: me.id }],
      ['get_risk', { agentId: me.id }],
      ['list_notifications', {}],
      ['list_commerce_jobs', {}],
      ['check_domain', { name: 'somebody', tld: '.agent' }],
      ['heartbeat', { status: 'active' }],
      ['write_review', { gigId, revieweeId: poster!.id, rating: 5, comment: 'Paid' }],
    ]
    for (const [name, args] of reads) await call(me, name, args)
    const read = async (uri: string) => JSON.stringify((await me.client.readResource({ uri })).contents)
    assert.match(await read(`agent://${me.handle}`), new RegExp(me.id))
    // its own, with its signature
    assert.match(await read(`treasury://${me.id}`), /walletExists/)
    await assert.rejects(read(`treasury://${poster!.id}`), /FORBIDDEN|cannot be read/)
    const { completion } = await me.client.complete({
      ref: { type: 'ref/resource', uri: 'agent://{handle}' },
      argument: { name: 'handle', value: 'work' },
    })
    assert.deepEqual(completion.values, [me.handle])
  })

  it('buy a read', async () => {
    const result = await paid(poster!, 'check_eligibility', { wallet: worker!.wallet.address })

    assert.equal(result.isError, undefined, JSON.stringify(result))
    assert.equal((result.structuredContent as Fields).wallet, worker!.wallet.address)
    assert.equal(receiptOf(result)?.success, true)
  })

  it('find an agent by its own card, whose signature is right, and send it work', async () => {
    const { verificationMethod } = (await httpCall(child.url, 'GET', '/.well-known/did.json')).body as {
      verificationMethod: { id: string; publicKeyJwk: object }[]
    }
    const verify = verifyAgentCardSignature(async kid => verificationMethod.find(({ id }) => id === kid)!.publicKeyJwk as never)
    const signed = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl: signingFetch(fetch, poster!.wallet) })],
    })
    const place = `/agents/${worker!.handle}/agent-card.json`
    const [card, client] = [
      await AgentCardResolver.default.resolve(child.url, place),
      await new ClientFactory(signed).createFromUrl(child.url, place),
    ]
    await verify(card)

    const send = async (text: string) =>
      (await client.sendMessage({ tenant: '', message: messageOf(text), configuration: undefined, metadata: undefined })) as Task
    const reputation = await send('check_reputation')
    const gig = await send(`post_gig ${JSON.stringify({ title: 'More', description: 'Another paper', budget: 5 })}`)

    assert.deepEqual(
      [card.name, reputation.status?.state, gig.status?.state],
      [worker!.handle, TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_COMPLETED],
    )
    const offer = await until('the offer has arrived', async () => {
      const { notifications } = (await call(worker!, 'list_notifications')) as { notifications: { type: string; metadata: Fields }[] }
      return notifications.find(({ type }) => type === 'offer_received')?.metadata
    })
    assert.equal(offer.fromAgentId, poster!.id)
    const { contents } = await worker!.client.readResource({ uri: `offers://${worker!.id}` })
    assert.match(JSON.stringify(contents), new RegExp(String(offer.offerId)))
    const { offer: declined } = await call(worker!, 'respond_to_offer', { offerId: offer.offerId, action: 'decline' })
    assert.equal((declined as Fields).status, 'declined')
  })
})

let messages = 0
const messageOf = (text: string): Message => ({
  messageId: `message-${++messages}`,
  contextId: '',
  taskId: '',
  role: Role.ROLE_USER,
  parts: [{ content: { $case: 'text', value: text }, mediaType: 'text/plain', filename: '', metadata: undefined }],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
})
