import assert from 'node:assert/strict'
import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk'
import { apiVersion } from '@carapace/api'
import { until } from '@carapace/testing'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('cards and discovery documents', () => {
  let harness: Harness
  const env = { ORACLE_WALLET: '0x00000000000000000000000000000000000000AB', PUBLIC_BASE_URL: 'https://carapace.test/' }
  before(async () => {
    harness = await startHarness({ env })
  })
  after(() => harness.close())

  it('draws the card as a PNG of 600 by 340; the same card is answered with 304', async () => {
    const agent = await harness.agent({ description: '<script>"&', skills: ['c++', 'rust'], agentType: '日本 & <b>' })
    const url = `${harness.platform.url}/api/agents/${agent.id}/card`

    const response = await fetch(url)

    const png = Buffer.from(await response.arrayBuffer())
    assert.equal(response.headers.get('content-type'), 'image/png')
    assert.equal(png.subarray(1, 4).toString(), 'PNG')
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [600, 340])
    const etag = response.headers.get('etag')!
    assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304)
  })

  it('describes the card for ERC-721 and ERC-8004 readers, by agent and by card number', async () => {
    const agent = await harness.agent({ description: 'Reads vaults' })
    await harness.confirmed(agent.id, 'BASE_SEPOLIA', { tokenId: '4711' })
    const { body } = await harness.call('GET', `/api/agents/${agent.handle}/card/metadata`)
    const { cardTokenId } = (await harness.call('GET', `/api/agents/${agent.id}`)).body

    assert.equal(body.type, 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1')
    assert.equal(body.name, agent.handle)
    assert.equal(body.image, `https://carapace.test/api/agents/${agent.id}/card`)
    assert.deepEqual(body.supportedTrust, ['reputation', 'crypto-economic'])
    assert.equal((await harness.call('GET', `/api/cards/${cardTokenId}`)).body.name, agent.handle)
    assert.equal((await harness.call('GET', '/api/cards/999999999')).status, 404)
  })

  it('resolves a registered agent by handle and by token, with a link to its own page on a devnet', async () => {
    const agent = await harness.agent({ chain: 'SKALE_TESTNET' })
    const tokenId = await harness.confirmed(agent.id, 'SKALE_TESTNET')
    const read = () => harness.call('GET', `/api/erc8004/${tokenId}?chain=SKALE_TESTNET`)
    await until('it is registered', async () => (await read()).status === 200)

    const { body } = await read()
    assert.equal(body.handle, agent.handle)
    assert.equal(body.erc8004TokenId, tokenId)
    assert.equal(body.chainId, 324705682)
    assert.equal(body.agentRegistry, 'eip155:324705682:0x8004A818BFB912233c491871b3d84c89A494BD9e')
    assert.match(body.scanUrl, new RegExp(`^https://[^/]+/agents/${agent.handle}$`))
    assert.equal((await harness.call('GET', `/api/agents/${agent.handle}/erc8004`)).body.agentId, agent.id)
    const missing = await harness.call('GET', `/api/erc8004/${tokenId}`)
    assert.equal(missing.status, 404)
    assert.equal(missing.body.details.tokenId, tokenId)
    const verified = (await harness.call('GET', `/api/agents/${agent.id}/verify`)).body
    assert.equal(verified.chains.SKALE_TESTNET.registered, true)
    assert.equal(verified.verified, false)
  })

  it('lists registered agents for crawlers, bare, with the total and the next page in headers', async () => {
    const agents = await Promise.all([harness.agent(), harness.agent(), harness.agent()])
    for (const agent of agents) await harness.confirmed(agent.id, 'BASE_SEPOLIA')
    const page = () => harness.call('GET', '/.well-known/agents.json?limit=2')
    await until('all are registered', async () => Number((await page()).headers.get('x-total-count')) >= 3)

    const { body, headers } = await page()
    assert.equal(body.length, 2)
    assert.ok(Number.isInteger(body[0].tokenId))
    assert.match(headers.get('link')!, /offset=2.*rel="next"/)
  })

  it('has an A2A card that 1.0 and 0.3 readers understand', async () => {
    const { body, headers } = await harness.call('GET', '/.well-known/agent-card.json')
    assert.equal(body.supportedInterfaces[0].protocolVersion, '1.0')
    assert.deepEqual(
      body.supportedInterfaces.map(({ protocolBinding }: { protocolBinding: string }) => protocolBinding),
      ['JSONRPC', body.preferredTransport],
    )
    assert.equal(body.url, body.supportedInterfaces[1].url, 'nothing speaks A2A 0.3 here')
    assert.deepEqual([body.type, body.registrations], ['https://eips.ethereum.org/EIPS/eip-8004#registration-v1', []])
    assert.deepEqual(
      body.services.map(({ name }: { name: string }) => name),
      ['web', 'A2A', 'DID'],
    )
    assert.equal(headers.get('cache-control'), 'no-cache', 'the platform agent is about to be registered')
    assert.deepEqual((await harness.call('GET', '/.well-known/agent-registration.json')).body, { registrations: [] })
  })

  it('has A2A cards of the platform and of each agent, signed by the key in did.json', async () => {
    const agent = await harness.agent({ skills: ['rust'] })
    const { body: did } = await harness.call('GET', '/.well-known/did.json')
    const keyOf = async (kid: string) => did.verificationMethod.find(({ id }: { id: string }) => id === kid).publicKeyJwk
    const verify = verifyAgentCardSignature(keyOf)

    for (const path of ['/.well-known/agent-card.json', `/agents/${agent.handle}/agent-card.json`]) {
      const { body } = await harness.call('GET', path)
      await verify(AgentCard.fromJSON(body))
      await assert.rejects(verify(AgentCard.fromJSON({ ...body, description: 'something else' })), path)
    }
    const { body } = await harness.call('GET', `/agents/${agent.id}/agent-card.json`)
    assert.deepEqual([body.name, body.supportedInterfaces[0].tenant], [agent.handle, agent.handle])
    assert.ok(body.skills.some(({ id }: { id: string }) => id === 'rust'))
    assert.equal((await harness.call('GET', '/agents/nobody-here/agent-card.json')).status, 404)
  })

  it('gives each skill of an A2A card an id of its own, also one that is called as the platform calls its own', async () => {
    const agent = await harness.agent({ skills: ['post_gig', 'gig_status', 'rust'] })

    const { body } = await harness.call('GET', `/agents/${agent.handle}/agent-card.json`)

    const ids = body.skills.map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, ['check_reputation', 'post_gig', 'skill:post_gig', 'skill:gig_status', 'rust'])
    assert.deepEqual(
      body.skills.slice(2).map(({ name }: { name: string }) => name),
      ['post_gig', 'gig_status', 'rust'],
    )
  })

  it('says in its A2A cards how a caller is known, in each mode', async () => {
    const signed = await startHarness({ env: { ...env, AUTH_MODE: 'signed' } })
    const cards = await Promise.all(
      [signed, harness].map(async ({ call }) => AgentCard.fromJSON((await call('GET', '/.well-known/agent-card.json')).body)),
    )
    await signed.close()

    assert.deepEqual(
      cards.map(({ securitySchemes, skills }) => [
        Object.values(securitySchemes).map(({ scheme }) => (scheme?.$case === 'apiKeySecurityScheme' ? scheme.value.name : scheme?.$case)),
        skills.flatMap(({ id, securityRequirements }) => securityRequirements.map(({ schemes }) => [id, ...Object.keys(schemes)])),
      ]),
      [
        [['signature'], [['post_gig', 'signature']]],
        [['x-agent-id', 'x-wallet-address'], [['post_gig', 'agentId', 'wallet']]],
      ],
    )
    for (const { version, capabilities } of cards)
      assert.deepEqual(
        [version, capabilities?.extensions.map(({ uri, required }) => [uri, required])],
        [apiVersion, [['https://eips.ethereum.org/EIPS/eip-8128', false]]],
      )
  })
})
