import assert from 'node:assert/strict'
import { dayMs, getReservationUse, refuse } from '@carapace/api'
import { domainTokenId, operationKey } from '@carapace/chain'
import { type Answer, doctorChecks, newTestAgent, type TestAgent, until } from '@carapace/testing'
import { account } from './ledger.ts'
import { type Harness, sharedHarness, usdc } from './testing/harness.ts'

describe('POST /api/domains/register', () => {
  const harness = sharedHarness()

  let names = 0
  const newName = () => `name-${++names}-long`
  const register = (agent: TestAgent, name: string, tld: string, pricePaid = 100, headers: Record<string, string> = {}) =>
    harness.platform.call('POST', '/api/domains/register', {
      body: { name, tld, pricePaid },
      headers: { ...agent.headers, ...headers },
    })
  const codes = (answers: Answer[]) => answers.map(({ status, body }) => (status === 201 ? '201' : `${status} ${body.code}`))
  const counted = (values: string[]) =>
    Object.fromEntries([...new Set(values)].sort().map(value => [value, values.filter(one => one === value).length]))
  const agentsOf = (count: number, options?: Parameters<Harness['newAgent']>[0]) =>
    Promise.all(Array.from({ length: count }, () => harness.newAgent(options)))
  /** Of the ledger, micro-USDC. */
  const income = async () => {
    const { db } = harness.platform.service('domains').platform
    const row = await db.connection.collection('ledger_accounts').findOne({ account: account.income })
    return (row?.balance as bigint | undefined) ?? 0n
  }

  for (const [title, tld, options] of [
    ['free', '.molt', {}],
    ['paid from their wallets', '.claw', { usdc: 100 }],
    ['paid from their treasuries', '.shell', { custodial: 100 }],
  ] as const)
    it(`gives one ${title} name that 200 agents want at the same time to exactly one, and charges no other`, async function () {
      this.timeout(120_000)
      const agents = await agentsOf(200, options)
      const name = newName()
      const before = await income()

      const answers = await Promise.all(agents.map(agent => register(agent, name, tld)))

      // The owner's answer waits for the chain for a bounded time only.
      const [winner, ...others] = answers.filter(({ status }) => status === 201 || status === 202)
      assert.deepEqual(others, [])
      assert.deepEqual(counted(codes(answers.filter(answer => answer !== winner))), { '409 NAME_TAKEN': 199 })
      const record = await until('it is active', async () => {
        const { body } = await harness.platform.call('GET', `/api/domains/${name}${tld}`)
        return body.record?.status === 'active' && body
      })
      assert.equal(record.owner, winner!.body.record.ownerWallet)
      assert.deepEqual(
        harness.commands.map(({ kind }) => kind),
        ['domain.mint'],
      )
      const price = tld === '.molt' ? 0n : tld === '.claw' ? usdc(50) : usdc(100)
      assert.equal((await income()) - before, price)
      assert.equal(harness.reservations.length, tld === '.shell' ? 1 : 0)
    })

  it('answers NAME_TAKEN to a name that was registered meanwhile, also where a service does not answer', async () => {
    const [first, second] = await agentsOf(2, { usdc: 100 })
    const name = newName()
    let registered: Answer | undefined
    harness.beforeAgentRow = async id => {
      if (id !== second!.id) return
      registered ??= await register(first!, name, '.claw')
      refuse('DEPENDENCY_UNAVAILABLE')
    }

    const refused = await register(second!, name, '.claw')

    assert.deepEqual(codes([registered!, refused]), ['201', '409 NAME_TAKEN'])
    assert.deepEqual(codes([await register(second!, newName(), '.claw')]), ['503 DEPENDENCY_UNAVAILABLE'])
  })

  it('refuses a name that is being registered as retryable, and registers it under the same key once that has failed', async () => {
    const [first, second] = await agentsOf(2, { usdc: 100 })
    const name = newName()
    const key = { 'idempotency-key': name }
    harness.chain = () => 'wait'
    await register(first!, name, '.claw', 100, { prefer: 'respond-async' })
    const command = await until('it is sent', () => harness.commands.find(({ kind }) => kind === 'domain.mint'))

    const refused = await register(second!, name, '.claw', 100, key)
    harness.chain = () => 'confirm'
    await harness.outcome(command, 'fail')
    const registered = await until('it is free again', async () => {
      const answer = await register(second!, name, '.claw', 100, key)
      return answer.status === 409 ? undefined : answer
    })

    assert.deepEqual([refused.status, refused.body.code, refused.body.retryable], [409, 'NAME_TAKEN', true])
    assert.equal(registered.status, 201)
  })

  it('may be under way on the chain alone, and explains no difference between ledger and registry but its price', async () => {
    const faults = async (sold: bigint) => {
      harness.sold = sold
      return (await doctorChecks(harness.platform, 'domains')).find(({ name }) => name === 'income')!.detail
    }
    const before = await income()
    const [agent] = await agentsOf(1, { usdc: 100 })
    harness.chain = () => 'wait'
    await register(agent!, newName(), '.claw', 100, { prefer: 'respond-async' })
    const command = await until('it is sent', () => harness.commands.find(({ kind }) => kind === 'domain.mint'))

    assert.deepEqual([await faults(before), await faults(before + usdc(50))], [[], []])
    assert.equal((await faults(before + usdc(50) + 1n)).length, 1)
    await harness.outcome(command, 'confirm')
    await until('it is booked', async () => (await income()) === before + usdc(50))
    assert.deepEqual([(await faults(before)).length, await faults(before + usdc(50))], [1, []])
  })

  it('gives an agent one .molt name, however many it requests at the same time', async () => {
    const agent = await harness.newAgent()
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(agent, newName(), '.molt')))
    assert.deepEqual(counted(codes(answers)), { '201': 1, '409 ALREADY_EXISTS': 9 })
  })

  it('gives at most three names of an extension without payment for a score', async () => {
    const agent = await harness.newAgent({ score: 40 })
    const answers = await Promise.all(Array.from({ length: 6 }, () => register(agent, newName(), '.pinch')))
    assert.deepEqual(counted(codes(answers)), { '201': 3, '402 FUNDS_REQUIRED': 3 })
    assert.equal(answers.filter(({ body }) => body.free).length, 3)
  })

  it('counts a free name that failed among the three while the chain may still make it, and gives its place again a day later', async () => {
    const agent = await harness.newAgent({ score: 40 })
    const [first, ...others] = Array.from({ length: 3 }, newName) as [string, ...string[]]
    harness.chain = () => 'fail'
    assert.deepEqual(codes([await register(agent, first, '.pinch')]), ['409 CONFLICT'])
    const command = harness.commands.at(-1)!
    harness.chain = () => 'confirm'
    for (const name of others) assert.equal((await register(agent, name, '.pinch')).body.free, true)

    assert.deepEqual(codes([await register(agent, newName(), '.pinch')]), ['402 FUNDS_REQUIRED'])
    await harness.outcome(command, 'confirm', 2)
    await until('the chain has made it after all', async () => {
      const { body } = await harness.platform.call('GET', `/api/domains/${first}.pinch`)
      return body.record?.status === 'active'
    })
    await harness.platform.advance((2 * dayMs) / 1000)

    assert.deepEqual(codes([await register(agent, newName(), '.pinch')]), ['402 FUNDS_REQUIRED'])
  })

  it('gives the place of a free name that failed to another one a day later, and to itself before', async () => {
    const agent = await harness.newAgent({ score: 40 })
    const [first, ...others] = Array.from({ length: 3 }, newName) as [string, ...string[]]
    for (const name of others) assert.equal((await register(agent, name, '.pinch')).body.free, true)
    const fails = async (name: string, key: string) => {
      harness.chain = () => 'fail'
      assert.deepEqual(codes([await register(agent, name, '.pinch', 100, { 'idempotency-key': key })]), ['409 CONFLICT'])
      harness.chain = () => 'confirm'
      return harness.commands.at(-1)!
    }
    await fails(first, 'first')
    const command = await fails(first, 'again')

    await harness.platform.advance(dayMs / 1000)
    assert.equal((await register(agent, newName(), '.pinch')).body.free, true)
    await harness.outcome(command, 'confirm', 2)

    await until('the chain has made it after all', async () => {
      const { body } = await harness.platform.call('GET', `/api/domains/${first}.pinch`)
      return body.record?.status === 'active'
    })
    assert.deepEqual(codes([await register(agent, newName(), '.pinch')]), ['402 FUNDS_REQUIRED'])
  })

  it('answers PRICE_MISMATCH with the price when the caller agrees to less', async () => {
    const agent = await harness.newAgent({ usdc: 100 })
    const { status, body } = await register(agent, newName(), '.claw', 49)
    assert.deepEqual([status, body.code, body.details.price], [400, 'PRICE_MISMATCH', 50])
  })

  it('answers FUNDS_REQUIRED with the nonce that an authorisation has to name', async () => {
    const { status, body } = await register(await harness.newAgent(), newName(), '.claw')
    assert.deepEqual([status, body.code], [402, 'FUNDS_REQUIRED'])
    assert.match(body.details.options.nonce, /^0x[0-9a-f]{64}$/)
    assert.equal(body.details.options.allowance.required, 50)
  })

  it('frees the name and books nothing when the chain refuses for good', async () => {
    const agent = await harness.newAgent({ usdc: 100 })
    const name = newName()
    const before = await income()
    harness.chain = () => 'fail'

    const key = { 'idempotency-key': `key-${name}` }
    const refused = await register(agent, name, '.claw', 100, key)
    harness.chain = () => 'confirm'
    const repeated = await register(agent, name, '.claw', 100, key)

    assert.deepEqual([refused.status, refused.body.code, repeated.status], [409, 'CONFLICT', 201])
    assert.equal((await income()) - before, usdc(50))
    assert.deepEqual(
      harness.commands.map(({ opKey }) => opKey.split(':').at(-1)),
      ['1', '2'],
    )
  })

  it('frees the name when treasury refuses, and calls treasury again when it was away', async () => {
    const agent = await harness.newAgent({ custodial: 100 })
    const name = newName()
    harness.treasuryRefuses = 'DAILY_LIMIT_REACHED'
    assert.deepEqual(codes([await register(agent, name, '.claw')]), ['402 FUNDS_REQUIRED'])

    harness.treasuryRefuses = 'DEPENDENCY_UNAVAILABLE'
    const pending = await register(agent, name, '.claw', 100, { prefer: 'respond-async' })
    const { peers } = harness.platform.service('domains').platform
    const isOpen = async (n: number) => {
      const key = operationKey('domain.mint', pending.body.record.id, n)
      return (await peers.call('domains', getReservationUse, { body: { key, round: 1, agentId: agent.id } })).isOpen
    }
    assert.deepEqual(await Promise.all([1, 2, 3].map(isOpen)), [false, true, false])
    assert.deepEqual([pending.status, pending.body.record.status, harness.commands.length], [202, 'pending', 0])
    harness.treasuryRefuses = undefined
    await harness.platform.advance(60)

    await until('it is confirmed', async () => (await harness.platform.call('GET', pending.body.statusUrl)).body.status === 'confirmed')
    assert.equal((await harness.platform.call('GET', `/api/domains/${name}.claw`)).body.record.pricePaid, 50)
  })

  it('answers the first registration to the same Idempotency-Key, also after the process died before its answer was saved', async () => {
    const agent = await harness.newAgent({ usdc: 100 })
    const name = newName()
    const key = { 'idempotency-key': `key-${name}` }
    const first = await register(agent, name, '.claw', 100, key)
    await harness.platform.forgetAnswers('domains')
    const second = await register(agent, name, '.claw', 100, key)
    assert.deepEqual([first.status, second.status, second.body.record.id], [201, 201, first.body.record.id])
    assert.equal(harness.commands.length, 1)
  })

  it('is pending while the chain is silent, and says where its outcome is', async () => {
    const agent = await harness.newAgent()
    harness.chain = () => 'wait'
    const { status, body } = await register(agent, newName(), '.molt', 0, { prefer: 'respond-async' })
    assert.deepEqual([status, body.record.status, body.onChain.status, body.moltDomain], [202, 'pending', 'pending', null])
    const firstPoll = new Date(Date.parse(body.record.registeredAt) + 30_000).toISOString()
    assert.deepEqual(body.record.nextDeadline, { at: firstPoll, action: 'poll' })
    const open = () => harness.platform.call('GET', body.statusUrl)
    assert.equal((await open()).body.status, 'pending')
    await until('the command has arrived', () => harness.commands[0])
    await harness.outcome(harness.commands[0]!, 'confirm')
    await until('it is confirmed', async () => (await open()).body.status === 'confirmed')
    assert.equal((await open()).body.record.nextDeadline, null)
  })

  for (const [name, code] of [
    ['ab', 'NAME_INVALID'],
    ['double--hyphen', 'NAME_INVALID'],
    ['oracle', 'NAME_RESERVED'],
  ] as const)
    it(`answers ${code} to ${name}`, async () => {
      const { status, body } = await register(await harness.newAgent(), name, '.molt')
      assert.deepEqual([status, body.code], [400, code])
    })

  it('refuses a deleted name to others for 30 days', async () => {
    const [owner, other] = await agentsOf(2)
    const name = newName()
    await register(owner!, name, '.molt')
    const deleted = await harness.platform.call('DELETE', `/api/molt-domains/${name}`, { headers: owner!.headers })
    assert.deepEqual([deleted.status, deleted.body.name], [200, `${name}.molt`])
    const repeated = await harness.platform.call('DELETE', `/api/molt-domains/${name}`, { headers: owner!.headers })
    assert.deepEqual([repeated.status, repeated.body], [200, deleted.body])

    assert.equal((await harness.platform.call('GET', `/api/domains/${name}.molt`)).status, 404)
    assert.deepEqual(codes([await register(other!, name, '.molt')]), ['409 NAME_TAKEN'])
    harness.chain = () => 'fail'
    assert.deepEqual(codes([await register(owner!, name, '.molt')]), ['409 CONFLICT'])
    harness.chain = () => 'confirm'
    assert.deepEqual(codes([await register(other!, name, '.molt')]), ['409 NAME_TAKEN'])
    await harness.platform.advance((30 * dayMs) / 1000 + 60)
    await until('the name is vacant', async () => (await harness.platform.call('GET', `/api/molt-domains/check/${name}`)).body.available)
    assert.deepEqual(codes([await register(other!, name, '.molt')]), ['201'])
  })
})

describe('names and their agents', () => {
  const harness = sharedHarness()

  let names = 0
  const newName = () => `other-${++names}-name`
  const register = async (agent: TestAgent, name = newName()): Promise<Answer['body']> => {
    const { status, body } = await harness.platform.call('POST', '/api/domains/register', {
      body: { name, tld: '.molt', pricePaid: 0 },
      headers: agent.headers,
    })
    assert.equal(status, 201)
    harness.owners.set(body.record.tokenId, agent.wallet)
    return body
  }
  const get = async (path: string): Promise<Answer['body']> => (await harness.platform.call('GET', path)).body
  const transfer = (id: string, from: TestAgent, to: string) =>
    harness.platform.call('POST', `/api/domains/${id}/transfer`, { body: { toAddress: to }, headers: from.headers })

  it('refuse a transfer to an agent that has a .molt name', async () => {
    const [owner, other] = [await harness.newAgent(), await harness.newAgent()]
    const { record } = await register(owner)
    await register(other)
    const { status, body } = await transfer(record.id, owner, other.wallet)
    assert.deepEqual([status, body.code], [409, 'ALREADY_EXISTS'])
  })

  it('do not link a second .molt name that its owner sent on chain', async () => {
    const [owner, other] = [await harness.newAgent(), await harness.newAgent()]
    const { record, fullDomain } = await register(owner)
    const own = await register(other)

    await harness.sent(fullDomain, record.tokenId, owner.wallet, other.wallet)

    const found = await until('it has the new owner', async () => {
      const { owner: wallet, record: present } = await get(`/api/domains/${fullDomain}`)
      return wallet === other.wallet && present
    })
    assert.deepEqual([found.agentId, found.isPrimary], [other.id, false])
    const info = await get(`/api/agents/${other.id}/molt-info`)
    assert.deepEqual([info.moltDomain, info.domains.length, (await get(`/api/agents/${owner.id}/molt-info`)).moltDomain], [own.fullDomain, 2, null])
  })

  it('link a .molt name that its owner was sent once the linked one has left, and the agent requests it', async () => {
    const [sender, owner, receiver] = [await harness.newAgent(), await harness.newAgent(), await harness.newAgent()]
    const moltOf = async ({ id }: TestAgent) => (await get(`/api/agents/${id}/molt-info`)).moltDomain
    const sync = () => harness.platform.call('POST', '/api/molt-sync', { headers: owner.headers })
    const { record, fullDomain } = await register(sender)
    const own = await register(owner)
    await harness.sent(fullDomain, record.tokenId, sender.wallet, owner.wallet)
    await until('it has the new owner', async () => (await get(`/api/domains/${fullDomain}`)).owner === owner.wallet)
    assert.deepEqual([(await sync()).body.moltDomain, await moltOf(owner)], [own.fullDomain, own.fullDomain])

    assert.equal((await transfer(own.record.id, owner, receiver.wallet)).status, 200)
    harness.owners.set(own.record.tokenId, receiver.wallet)
    assert.equal(await moltOf(owner), null)
    const { status, body } = await sync()

    assert.deepEqual([status, body.moltDomain, body.tokenId, await moltOf(owner)], [200, fullDomain, record.tokenId, fullDomain])
    const { record: linked } = await get(`/api/domains/${fullDomain}`)
    assert.deepEqual([linked.isPrimary, await moltOf(receiver)], [true, own.fullDomain])
  })

  it('follow their token when their agent requests it, also where the log was lost', async () => {
    const [owner, other] = [await harness.newAgent(), await harness.newAgent()]
    const sync = ({ headers }: TestAgent) => harness.platform.call('POST', '/api/molt-sync', { headers })
    const moltOf = async ({ id }: TestAgent) => (await get(`/api/agents/${id}/molt-info`)).moltDomain
    assert.equal((await sync(owner)).status, 404)
    const { record, fullDomain, txHash } = await register(owner)
    const { success, ...inStep } = (await sync(owner)).body
    assert.deepEqual([success, inStep], [true, { moltDomain: fullDomain, onChain: true, tokenId: record.tokenId, txHash }])

    harness.owners.set(record.tokenId, other.wallet)
    assert.deepEqual([await moltOf(owner), await moltOf(other)], [fullDomain, null])
    assert.equal((await sync(owner)).status, 200)

    assert.deepEqual([await moltOf(owner), await moltOf(other)], [null, fullDomain])
  })

  it('have the owner that a final log shows where their mint seemed to have failed', async () => {
    const [owner, stranger] = [await harness.newAgent(), newTestAgent().agent]
    const name = newName()
    harness.chain = () => 'fail'
    await harness.platform.call('POST', '/api/molt-domains/register', {
      body: { name, extension: 'molt', walletAddress: owner.wallet },
      headers: owner.headers,
    })
    const fullDomain = `${name}.molt`
    const tokenId = String(domainTokenId(fullDomain))
    const nobody = `0x${'00'.repeat(20)}`

    await harness.sent(fullDomain, tokenId, nobody, stranger.wallet)
    await harness.sent(fullDomain, tokenId, nobody, owner.wallet)

    await until('its owner has it', async () => (await get(`/api/domains/${fullDomain}`)).owner === owner.wallet)
    assert.equal((await get(`/api/agents/${owner.id}/molt-info`)).moltDomain, fullDomain)
  })

  it('follow their wallet to the agent that is registered with it', async () => {
    const owner = await harness.newAgent()
    const { agent, registered } = newTestAgent()
    const { record, fullDomain } = await register(owner)
    assert.equal((await transfer(record.id, owner, agent.wallet)).status, 200)
    assert.equal((await get(`/api/domains/${fullDomain}`)).agent, null)

    await harness.platform.publish(registered)

    await until('the new agent has it', async () => (await get(`/api/agents/${agent.id}/molt-info`)).moltDomain === fullDomain)
  })

  it('have the same owner after the chain refused a transfer', async () => {
    const [owner, other] = [await harness.newAgent(), await harness.newAgent()]
    const { record, fullDomain } = await register(owner)
    harness.chain = () => 'fail'
    const { status, body } = await transfer(record.id, owner, other.wallet)
    assert.deepEqual([status, body.code], [409, 'CONFLICT'])
    assert.deepEqual(
      [(await get(`/api/domains/${fullDomain}`)).owner, (await get(`/api/agents/${owner.id}/molt-info`)).moltDomain],
      [owner.wallet, fullDomain],
    )
  })

  it('are checked in the order in which they are sent, a malformed one as a result', async () => {
    const owner = await harness.newAgent()
    const { fullDomain } = await register(owner)
    const body = { names: [fullDomain, 'vacant-name.pinch', 'no-such.tld', 'x.molt', 'oracle.molt'], agentId: owner.id }
    const { results, total } = (await harness.platform.call('POST', '/api/domains/check-all', { body })).body
    assert.equal(total, 5)
    assert.deepEqual(
      results.map(({ available, reason, agentMeetsRequirement }: Answer['body']) => [available, reason, agentMeetsRequirement]),
      [
        [false, 'taken', true],
        [true, null, false],
        [false, 'invalid', true],
        [false, 'invalid', true],
        [false, 'reserved', true],
      ],
    )
  })

  it('are found by any part of them, in upper or lower case', async () => {
    const { fullDomain } = await register(await harness.newAgent(), 'zebra-crossing')
    const found = async (q: string) => (await get(`/api/domains/search?q=${q}`)).domains.map((domain: Answer['body']) => domain.fullDomain)
    for (const q of ['zebra', 'BRA-CRO', 'g']) assert.ok((await found(q)).includes(fullDomain), q)
    assert.deepEqual(await found('zebras'), [])
  })

  describe('registered without headers', () => {
    const autonomously = (agent: TestAgent, body: object = {}) =>
      harness.platform.call('POST', '/api/molt-domains/register-autonomous', {
        body: { name: newName(), extension: 'molt', agentId: agent.id, walletAddress: agent.wallet, ...body },
      })

    it('are for the agent whose wallet is in the body', async () => {
      const [agent, other] = [await harness.newAgent(), await harness.newAgent()]
      const mismatch = await autonomously(agent, { walletAddress: other.wallet })
      assert.deepEqual([mismatch.status, mismatch.body.code], [403, 'WALLET_MISMATCH'])
      assert.equal((await autonomously(agent, { extension: 'claw' })).status, 400)
      assert.deepEqual([(await autonomously(agent)).status, (await get(`/api/agents/${agent.id}/molt-info`)).record.agentId], [201, agent.id])
    })

    it('are refused to an agent whose policy requires signatures', async () => {
      const agent = await harness.newAgent()
      harness.agents.set(agent.id, { ...harness.agents.get(agent.id)!, requireSignature: true })
      const { status, body } = await autonomously(agent)
      assert.deepEqual([status, body.code], [401, 'SIGNATURE_REQUIRED'])
    })
  })
})
