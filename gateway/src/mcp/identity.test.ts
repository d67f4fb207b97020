import assert from 'node:assert/strict'
import { httpCall, newWallet } from '@carapace/testing'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { signRequest } from '@slicekit/erc8128'
import { Wallet } from 'ethers'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'

const wallet = Wallet.createRandom()
const signer = {
  address: wallet.address as `0x${string}`,
  chainId: 84532,
  signMessage: async (message: string | Uint8Array) => (await wallet.signMessage(message)) as `0x${string}`,
}
const accept = 'application/json, text/event-stream'
const callOf = (name: string, args: object, id = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })
type Answered = { result: { isError?: boolean; content: { text: string }[] } }
const codeOf = ({ result }: Answered): string | undefined =>
  result.isError ? (JSON.parse(result.content[0]!.text) as { code: string }).code : undefined

describe('a signed caller of MCP', () => {
  let harness: Harness
  let agentId: string
  before(async () => {
    harness = await startHarness({ AUTH_MODE: 'signed' })
    agentId = harness.agent({ wallet: wallet.address }).agentId
  })
  after(() => harness.close())
  beforeEach(() => {
    harness.upstream.seen.length = 0
    harness.upstream.answer = (_seen, response) => json(response, 409, { message: 'no', code: 'INVALID_STATE', status: 409 })
  })
  /** A POST /mcp whose signature covers its body, made by a client that is not ours. */
  async function signed(message: unknown) {
    const body = JSON.stringify(message)
    const request = await signRequest(`${harness.url}/mcp`, { method: 'POST', headers: { accept, 'content-type': 'application/json' }, body }, signer)
    return { raw: body, headers: Object.fromEntries(request.headers) }
  }
  const send = (given: { raw: string; headers: Record<string, string> }) => httpCall(harness.url, 'POST', '/mcp', given)

  it('is the one whose key signed the request to /mcp', async () => {
    const { body } = await send(await signed(callOf('cancel_gig', { gigId: 'g1' })))

    assert.equal(codeOf(body), 'INVALID_STATE')
    const [seen] = harness.upstream.seen
    assert.deepEqual([seen?.context?.signedBy, seen?.context?.agent?.agentId, seen?.context?.mode], [wallet.address, agentId, 'signed'])
  })

  it('needs no header: its id follows from the key', async () => {
    await send(await signed(callOf('list_notifications', {})))

    assert.equal(harness.upstream.seen[0]?.url, `/api/agents/${agentId}/notifications`)
  })

  it('finds out who it is by its signature, and what is wrong with one', async () => {
    const me = (body: Answered) => JSON.parse(body.result.content[0]!.text) as object
    const request = await signed(callOf('get_me', {}))
    const { body } = await send(request)
    const again = await send(request)

    assert.deepEqual(me(body), { walletAddress: wallet.address, agentId, isRegistered: true, isSigned: true, authMode: 'signed' })
    assert.equal(codeOf(again.body), 'SIGNATURE_REPLAYED')
    const stranger = await send({ raw: JSON.stringify(callOf('get_me', {})), headers: { accept, 'x-wallet-address': wallet.address } })
    assert.deepEqual(me(stranger.body), {
      walletAddress: wallet.address.toLowerCase(),
      agentId,
      isRegistered: true,
      isSigned: false,
      authMode: 'signed',
    })
  })

  it('signs all calls of one request by one signature, which serves once', async () => {
    const request = await signed([callOf('cancel_gig', { gigId: 'g1' }, 1), callOf('cancel_gig', { gigId: 'g2' }, 2)])
    const first = await send(request)
    const again = await send(request)

    assert.deepEqual(first.body.map(codeOf), ['INVALID_STATE', 'INVALID_STATE'])
    assert.deepEqual(again.body.map(codeOf), ['SIGNATURE_REPLAYED', 'SIGNATURE_REPLAYED'])
  })

  it('is refused with another body, with another path, or without a signature', async () => {
    const request = await signed(callOf('cancel_gig', { gigId: 'g1' }))
    const changed = await send({ ...request, raw: request.raw.replace('g1', 'g2') })
    const direct = await signRequest(`${harness.url}/api/gigs/g1/cancel`, { method: 'POST' }, signer)
    const elsewhere = await send({
      raw: JSON.stringify(callOf('cancel_gig', { gigId: 'g1' })),
      headers: { ...Object.fromEntries(direct.headers), accept },
    })
    const unsigned = await send({
      raw: JSON.stringify(callOf('cancel_gig', { gigId: 'g1' })),
      headers: { accept, 'x-agent-id': agentId, 'x-wallet-address': wallet.address },
    })

    assert.deepEqual(
      [changed, elsewhere, unsigned].map(({ body }) => codeOf(body)),
      ['SIGNATURE_INVALID', 'SIGNATURE_INVALID', 'SIGNATURE_REQUIRED'],
    )
    assert.deepEqual(harness.upstream.seen, [])
  })

  it('cannot name another agent', async () => {
    const { headers, raw } = await signed(callOf('cancel_gig', { gigId: 'g1' }))

    assert.equal(codeOf((await send({ raw, headers: { ...headers, 'x-wallet-address': newWallet() } })).body), 'SIGNATURE_INVALID')
  })

  it('reads without a signature', async () => {
    harness.upstream.answer = (_seen, response) => json(response, 200, [])
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${harness.url}/mcp`)))

    assert.equal((await client.callTool({ name: 'list_gigs' })).isError, undefined)
    await client.close()
  })
})

describe('a price in MCP', () => {
  let harness: Harness
  let client: Client
  before(async () => {
    harness = await startHarness({ X402_PAY_TO_ADDRESS: newWallet() })
    client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${harness.url}/mcp`)))
  })
  after(async () => {
    await client.close()
    await harness.close()
  })
  const args = { wallet: newWallet() }

  it('is named in a result that is an error, and paid in _meta: what x402 says of MCP', async () => {
    await client.listTools()
    harness.upstream.answer = (_seen, response) => json(response, 200, exampleAnswer)
    const unpaid = await client.callTool({ name: 'check_eligibility', arguments: args })
    const required = unpaid.structuredContent as { x402Version: number; accepts: { network: string; amount: string }[] }

    assert.deepEqual(
      [unpaid.isError, required.x402Version, required.accepts.map(({ network }) => network)],
      [true, 2, ['eip155:84532', 'eip155:324705682']],
    )
    assert.deepEqual(JSON.parse((unpaid.content as { text: string }[])[0]!.text), required)
    for (const payment of [
      { x402Version: 2, accepted: required.accepts[0], payload: {} },
      { x402Version: 1, scheme: 'exact', payload: {} },
    ]) {
      const paid = await client.callTool({ name: 'check_eligibility', arguments: args, _meta: { 'x402/payment': payment } })
      const receipt = paid._meta?.['x402/payment-response'] as { success: boolean; transaction: string }
      assert.equal(paid.isError, undefined, JSON.stringify(paid))
      assert.deepEqual([receipt.success, receipt.transaction], [true, `0x${'2'.repeat(64)}`])
    }
    const wrong = await client.callTool({ name: 'check_eligibility', arguments: args, _meta: { 'x402/payment': 'no payment' } })
    assert.deepEqual([wrong.isError, (wrong.structuredContent as { error: string }).error], [true, 'invalid_payload'])
  })

  const exampleAnswer = {
    ...{ eligible: true, wallet: args.wallet, fusedScore: 15, tier: null, riskIndex: 0, riskLevel: 'low', bondStatus: 'UNBONDED', chain: null },
    ...{ reasons: [], checkedAt: new Date(0).toISOString(), standard: 'ERC-8004', passportUrl: null, erc8004TokenId: null },
  }
})
