import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import { childAroundTests } from '../testing/around-tests.ts'
import { freePorts } from '../testing/ports.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of many endpoints
type Body = any

describe('links on a devnet', function () {
  this.timeout(240_000)
  let agent: Body
  // links name the gateway: its port has to be known beforehand
  const child = childAroundTests(async () => ({ PORT: String(await freePorts(1)) }))
  before(async () => {
    const walletAddress = `0x${'41'.repeat(20)}`
    const body = { handle: 'linked-agent', walletAddress, description: '<script>alert("x")</script>', chain: 'BOTH' }
    const { id } = (await call('/api/register-agent', {}, body)).agent
    await until('it is registered', async () => {
      agent = await call(`/api/agents/${id}`)
      return agent.chains.BASE_SEPOLIA.registered && agent.chains.SKALE_TESTNET.registered
    })
  })

  const call = async (path: string, headers: Record<string, string> = {}, body?: object): Promise<Body> => {
    const post = body && { method: 'POST', body: JSON.stringify(body) }
    return (await fetch(`${child.url}${path}`, { ...post, headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers } })).json()
  }
  const pageAt = async (url: string) => {
    const response = await fetch(url)
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      csp: response.headers.get('content-security-policy'),
      text: await response.text(),
    }
  }

  it('lead from a registration to a page that says what its transaction did, on both networks', async () => {
    for (const chain of ['BASE_SEPOLIA', 'SKALE_TESTNET']) {
      const { explorerUrl, txHash } = agent.chains[chain]
      assert.equal(explorerUrl, `${child.url}/tx/${chain}/${txHash}`)

      const { status, type, csp, text } = await pageAt(explorerUrl)

      assert.deepEqual([status, type], [200, 'text/html; charset=utf-8'])
      assert.match(csp ?? '', /default-src 'none'/)
      for (const part of [txHash, 'was entered in the identity registry', 'carried out', 'IdentityRegistry.Registered'])
        assert.ok(text.includes(part), part)
    }
  })

  it('lead from an identity to the page of its agent, in which what it wrote is escaped', async () => {
    const { scanUrl } = await call('/api/agents/linked-agent/erc8004')
    assert.equal(scanUrl, `${child.url}/agents/linked-agent`)

    const { status, text } = await pageAt(scanUrl)

    assert.equal(status, 200)
    assert.ok(text.includes('&lt;script&gt;alert(&quot;x&quot;)') && !/<script(?! type="module" src="\/assets\/)/.test(text))
    assert.ok(text.includes(`/tx/BASE_SEPOLIA/${agent.chains.BASE_SEPOLIA.txHash}`))
    // the page is live: of two readings only what it is the page of has to be the same
    const subjectOf = (page: string) => [/<title>(.*?)<\/title>/, /<link rel="canonical" href="(.*?)">/].map(part => part.exec(page)?.[1])
    assert.deepEqual(subjectOf(text), ['linked-agent · Carapace', `${child.url}/agents/linked-agent`])
    assert.deepEqual(subjectOf((await pageAt(`${child.url}/agents/${agent.id}`)).text), subjectOf(text))
  })

  it('lead from a name to its registration', async () => {
    const headers = { 'x-agent-id': agent.id, 'x-wallet-address': agent.walletAddress }
    const { record } = await call('/api/molt-domains/register', headers, {
      name: 'linked-name',
      extension: '.molt',
      walletAddress: agent.walletAddress,
    })

    assert.equal(record.explorerUrl, `${child.url}/tx/${record.onChain.chain}/${record.txHash}`)
    assert.equal((await pageAt(record.explorerUrl)).status, 200)
  })

  it('never lead to a public explorer', async () => {
    for (const path of ['/api/agents', '/.well-known/agents.json', '/api/networks', '/api/domains/browse', `/api/agents/${agent.id}/skale-score`])
      assert.doesNotMatch(JSON.stringify(await call(path)), /basescan|skalenodes/, path)
  })

  it('that lead nowhere are answered with a page and 404, faulty ones with 400', async () => {
    const unknown = await pageAt(`${child.url}/tx/BASE_SEPOLIA/0x${'ab'.repeat(32)}`)
    const nobody = await pageAt(`${child.url}/agents/nobody-here`)

    assert.deepEqual([unknown.status, unknown.type], [404, 'text/html; charset=utf-8'])
    assert.deepEqual([nobody.status, nobody.type], [404, 'text/html; charset=utf-8'])
    for (const path of ['/tx/ETHEREUM/0x12', '/tx/BASE_SEPOLIA/0x12', '/agents/%3Cb%3E'])
      assert.equal((await pageAt(`${child.url}${path}`)).status, 400, path)
  })

  it('of the A2A card lead to what is served', async () => {
    const card = await until('the platform agent is registered', async () => {
      const found = await call('/.well-known/agent-card.json')
      return found.registrations.length > 0 ? found : undefined
    })
    const endpoints = card.services.map(({ endpoint }: { endpoint: string }) => endpoint).filter((endpoint: string) => endpoint.startsWith('http'))

    for (const url of [card.url, card.documentationUrl, ...endpoints]) assert.equal((await pageAt(url)).status, 200, url)
    // what speaks JSON-RPC answers a GET with what it accepts
    for (const { url, protocolBinding } of card.supportedInterfaces)
      assert.equal((await pageAt(url)).status, protocolBinding === 'JSONRPC' ? 405 : 200, url)
    assert.deepEqual((await call('/.well-known/agent-registration.json')).registrations, card.registrations)
  })

  it('are part of a site whose pages answer 304 to those who have them', async () => {
    for (const path of [
      '/',
      '/agents',
      '/agents?tier=Hatchling&sort=newest',
      '/agents/linked-agent',
      '/gigs',
      '/jobs',
      '/domains?q=atlas',
      '/network',
      '/start',
    ]) {
      const { status, text, csp } = await pageAt(child.url + path)
      assert.deepEqual([status, /<h1>/.test(text)], [200, true], path)
      assert.match(csp ?? '', /require-trusted-types-for 'script'/)
    }
    // what is no value filters nothing
    for (const path of [
      '/agents?minScore=101&maxRisk=999&skills=%3Cb%3E&q=%07',
      '/gigs?skill=%3Cb%3E&minBudget=99999999999',
      `/domains?q=${'𝒶'.repeat(40)}`,
    ])
      assert.equal((await pageAt(child.url + path)).status, 200, path)
    // a page that is live may change between two readings
    for (const path of ['/docs', '/agents/linked-agent'])
      await until(`${path} is 304`, async () => {
        const etag = (await fetch(child.url + path)).headers.get('etag')!
        return (await fetch(child.url + path, { headers: { 'if-none-match': etag } })).status === 304
      })
  })

  it('list the agents of a tier, and of a text, and no others', async () => {
    const listed = async (query: string) => (await pageAt(`${child.url}/agents?${query}`)).text.includes('href="/agents/linked-agent"')

    assert.deepEqual([await listed('tier=Hatchling'), await listed('tier=Bronze+Pinch'), await listed('tier=Gold+Shell')], [true, false, false])
    assert.deepEqual([await listed('q=LINKED'), await listed('q=linked&tier=Gold+Shell'), await listed('q=linked&minScore=99')], [true, false, false])
    assert.match((await pageAt(`${child.url}/agents?q=linked&maxRisk=0&tier=Gold+Shell`)).text, /<span class="chip accent">2 set<\/span>/)
  })

  it('say what names cost and whose they are', async () => {
    const { text } = await pageAt(`${child.url}/domains`)
    for (const part of ['What a name costs', '50.00 USDC', 'free from a score of 70', 'linked-name.molt', 'href="/agents/linked-agent"'])
      assert.ok(text.includes(part), part)
    assert.match((await pageAt(`${child.url}/domains?q=linked-name`)).text, /of <a class="agent" href="\/agents\/linked-agent">/)
  })

  it('show the newest blocks and all contracts of both networks', async () => {
    const { text } = await pageAt(`${child.url}/network`)
    assert.equal(text.match(/<ol class="blocks plain">/g)?.length, 2)
    for (const part of ['Covered exactly', 'Identities (ERC-8004)', 'transaction']) assert.ok(text.includes(part), part)
  })

  it('say how a score adds up', async () => {
    const { text } = await pageAt(`${child.url}/agents/linked-agent/why`)
    for (const part of ['Every agent begins with', 'What would raise it', 'Ten votes with the final verdict', 'The whole log', 'Registered'])
      assert.ok(text.includes(part), part)
  })

  it('are found by what they stand for', async () => {
    const placeOf = async (q: string) =>
      (await fetch(`${child.url}/search?${new URLSearchParams({ q })}`, { redirect: 'manual' })).headers.get('location')

    assert.equal(await placeOf('linked-agent'), '/agents/linked-agent')
    assert.equal(await placeOf(agent.walletAddress), `/agents/${agent.id}`)
    assert.equal(await placeOf(agent.chains.SKALE_TESTNET.txHash), `/tx/SKALE_TESTNET/${agent.chains.SKALE_TESTNET.txHash}`)
    assert.equal(await placeOf(agent.erc8004TokenId), '/agents/linked-agent')
    assert.equal(await placeOf('Linked-Agent'), '/agents/linked-agent')
    assert.equal(await placeOf(agent.id), `/agents/${agent.id}`)
    assert.equal(await placeOf('atlas.molt'), '/domains?q=atlas.molt')
    assert.equal(await placeOf('no such thing'), '/agents?q=no+such+thing')
  })
})
