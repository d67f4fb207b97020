import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentUpdated, chainEvent, chainEventRemoved, chainOutcome, identityApi, scoreChanged } from '@carapace/api'
import { newWallet, receiveCommands, until } from '@carapace/testing'
import { type Harness, hex, newHandle, startHarness } from '../testing/harness.ts'
import { settledOnce } from '../testing/reputation.ts'

describe('registration', () => {
  let harness: Harness
  /** Keys of the commands that were sent, and what was published about profiles. */
  const sent: string[] = []
  const policies: { agentId: string; requireSignature: unknown }[] = []
  before(async () => {
    harness = await startHarness({ env: { ORACLE_WALLET: '0x00000000000000000000000000000000000000AA' } })
    await receiveCommands(harness.platform.bus, async ({ opKey }) => void sent.push(opKey))
    await harness.platform.bus.subscribe({ name: 'test.ear', exchange: 'events', bindings: [agentUpdated.type] }, async ({ subject, data }) => {
      policies.push({ agentId: subject, requireSignature: data.requireSignature })
    })
  })
  after(() => harness.close())

  const register = (body: Record<string, unknown>, headers: Record<string, string> = { prefer: 'respond-async' }) =>
    harness.call('POST', '/api/register-agent', { body, headers })
  const read = async (id: string) => (await harness.call('GET', `/api/agents/${id}`)).body

  it('makes a Hatchling with 15 points, a card number and the wallet in EIP-55 form', async () => {
    const wallet = newWallet()

    const { status, body } = await register({ handle: newHandle(), walletAddress: wallet.toLowerCase(), skills: ['Solidity', 'solidity'] })

    assert.equal(status, 202)
    assert.equal(body.status, 'pending')
    assert.equal(body.agent.fusedScore, 15)
    assert.equal(body.agent.tier, 'Hatchling')
    assert.equal(body.agent.walletAddress, wallet)
    assert.deepEqual(body.agent.skills, ['solidity'])
    assert.ok(Number.isInteger(body.agent.cardTokenId) && body.agent.cardTokenId > 0)
    assert.deepEqual(body.onChain, { status: 'pending', chain: 'BASE_SEPOLIA', txHash: null, blockNumber: null, error: null })
    const progress = (await harness.call('GET', body.statusUrl)).body
    assert.equal(progress.tempId, body.agent.id)
    assert.deepEqual(Object.keys(progress.chains), ['BASE_SEPOLIA'])
    assert.equal(progress.nextDeadline.action, 'poll')
    assert.ok(Date.parse(progress.nextDeadline.at) > Date.now())
  })

  it('of two concurrent ones with one handle, or one wallet, one wins', async () => {
    for (const same of [{ handle: newHandle() }, { walletAddress: newWallet() }]) {
      const answers = await Promise.all([1, 2, 3].map(() => register({ handle: newHandle(), walletAddress: newWallet(), ...same })))

      assert.deepEqual(answers.map(answer => answer.status).sort(), [202, 409, 409])
      const codes = new Set(answers.filter(answer => answer.status === 409).map(answer => answer.body.code))
      assert.deepEqual([...codes], ['handle' in same ? 'DUPLICATE_HANDLE' : 'DUPLICATE_WALLET'])
    }
  })

  it('of two equal requests with one idempotency key there is one agent, also when the first died before its answer was stored', async () => {
    const body = { handle: newHandle(), walletAddress: newWallet() }
    const headers = { prefer: 'respond-async', 'idempotency-key': randomUUID() }
    const first = await register(body, headers)

    await harness.platform.forgetAnswers('identity')
    const second = await register(body, headers)

    assert.equal(second.status, 202)
    assert.equal(second.body.agent.id, first.body.agent.id)
  })

  it('burns the card of the agent that loses its wallet before the new one is minted', async () => {
    const loser = await harness.agent()
    const about = { opKey: `card.mint:${loser.id}:BASE_SEPOLIA`, round: 1, kind: 'card.mint', network: 'BASE_SEPOLIA' as const, seq: 2 }
    const block = { txHash: hex(32), blockNumber: 7, blockHash: hex(32), blockTime: 1_700_000_000, logs: [], already: false }
    await harness.platform.publish(chainOutcome('card.mint').confirmed.of({ ...about, aggregateKey: `agent:${loser.id}`, ...block }), 2)
    const agents = harness.platform.service('identity').platform.db.connection.collection<{ _id: string }>('agents')
    await until(
      'the card is minted',
      async () => (await agents.findOne({ _id: loser.id, 'chains.BASE_SEPOLIA.card.onChain.status': 'confirmed' })) !== null,
    )

    const { body } = await register(
      { handle: newHandle(), walletAddress: loser.wallet },
      { prefer: 'respond-async', 'x-test-signed-by': loser.wallet },
    )

    const own = await until('its commands are sent', () => {
      const found = sent.filter(key => key.includes(body.agent.id))
      return found.length === 3 && found
    })
    assert.deepEqual(
      own.map(key => key.split(':')[0]),
      ['identity.register', 'card.burn', 'card.mint'],
    )
  })

  it('publishes that calls for an agent need a signature, also after other changes', async () => {
    const { id, headers } = await harness.agent()
    const policy = (requireSignature: unknown) => harness.call('POST', `/api/agents/${id}/auth-policy`, { body: { requireSignature }, headers })

    assert.equal((await policy('yes')).body.errors[0].path, 'requireSignature')
    assert.equal((await policy(true)).body.requireSignature, true)
    await harness.call('PATCH', `/api/agents/${id}`, { body: { description: 'new' }, headers })
    assert.equal((await policy(false)).body.requireSignature, false)

    const published = () => policies.filter(({ agentId }) => agentId === id).map(({ requireSignature }) => requireSignature)
    await until('it is published', () => published().length === 3)
    assert.deepEqual(published(), [true, true, false])
  })

  it('gives a wallet to the agent that proves it, once, and only while the one that has it is unproven and has no settled work', async () => {
    const idle = await harness.agent()
    const proven = (walletAddress: string) =>
      register({ handle: newHandle(), walletAddress }, { prefer: 'respond-async', 'x-test-signed-by': walletAddress })

    assert.equal((await register({ handle: newHandle(), walletAddress: idle.wallet })).body.code, 'DUPLICATE_WALLET')
    const answers = await Promise.all([proven(idle.wallet), proven(idle.wallet)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409])
    const loser = await read(idle.id)
    assert.deepEqual([loser.status, loser.walletAddress], ['suspended', idle.wallet])

    const busy = await harness.agent()
    harness.scores.set(busy.id, settledOnce(busy.id))
    assert.equal((await proven(busy.wallet)).body.code, 'DUPLICATE_WALLET')
    assert.equal((await read(busy.id)).status, 'active')
  })

  it('says who owns what an agent had that lost its wallet, and whether an operator holds it', async () => {
    const [idle, held] = [await harness.agent(), await harness.agent()]
    const suspension = { body: { suspended: true, reason: 'fraud' }, headers: { 'x-admin-wallet': idle.wallet } }
    assert.equal((await harness.call('POST', `/api/admin/agents/${held.id}/suspend`, suspension)).status, 200)
    for (const { wallet } of [idle, held])
      assert.equal(
        (await register({ handle: newHandle(), walletAddress: wallet }, { prefer: 'respond-async', 'x-test-signed-by': wallet })).status,
        202,
      )

    const { peers } = harness.platform.service('identity').platform
    const rows = await Promise.all([idle, held].map(({ id }) => peers.call('identity', identityApi.internal.getAgentRow, { params: { id } })))

    assert.deepEqual(
      rows.map(({ wallet, formerWallet, heldByOperator }) => [wallet, formerWallet, heldByOperator]),
      [
        [null, idle.wallet, false],
        [null, held.wallet, true],
      ],
    )
  })

  it('lists the agents that have lost a right, by a suspension or a policy of their own, and none that only goes on', async () => {
    const [active, held, careful] = [await harness.agent(), await harness.agent(), await harness.agent()]
    const { peers, clock } = harness.platform.service('identity').platform
    const since = clock.now().toISOString()
    const suspend = (suspended: boolean) =>
      harness.call('POST', `/api/admin/agents/${held.id}/suspend`, { body: { suspended, reason: 'x' }, headers: { 'x-admin-wallet': active.wallet } })
    const headersOf = ({ id, wallet }: typeof active) => ({ 'x-agent-id': id, 'x-wallet-address': wallet })
    await suspend(true)
    const policy = { body: { requireSignature: true }, headers: { ...headersOf(careful), 'x-test-signed-by': careful.wallet } }
    assert.equal((await harness.call('POST', `/api/agents/${careful.id}/auth-policy`, policy)).status, 200)
    await harness.call('POST', '/api/agent-heartbeat', { headers: headersOf(active), body: {} })
    const listed = async () => {
      const { agents, more } = await peers.call('identity', identityApi.internal.listRestrictedAgents, { query: { since } })
      return [agents.map(({ agentId }) => agentId), more]
    }

    assert.deepEqual(await listed(), [[held.id, careful.id], false])
    await suspend(false)
    assert.deepEqual(await listed(), [[careful.id], false])
  })

  it('refuses reserved handles and malformed fields by name', async () => {
    const cases = [
      [{ handle: 'discover' }, 'NAME_RESERVED', 'handle'],
      [{ handle: 'No Good!' }, 'VALIDATION_ERROR', 'handle'],
      [{ walletAddress: '0x12' }, 'VALIDATION_ERROR', 'walletAddress'],
      [{ walletAddress: `0x${'0'.repeat(40)}` }, 'VALIDATION_ERROR', 'walletAddress'],
      [{ skills: 'solidity' }, 'VALIDATION_ERROR', 'skills'],
      [{ chain: 'MOON' }, 'VALIDATION_ERROR', 'chain'],
    ] as const
    for (const [fields, code, field] of cases) {
      const { status, body } = await register({ handle: newHandle(), walletAddress: newWallet(), ...fields })
      assert.equal(status, 400)
      assert.equal(body.code, code)
      if (code === 'VALIDATION_ERROR') assert.ok(body.errors[0].path.startsWith(field), JSON.stringify(body))
    }
  })

  it('answers 201 with hashes of both networks once they are confirmed, gas money after the SKALE confirmation', async () => {
    const handle = newHandle()
    const walletAddress = newWallet()
    const answer = register({ handle, walletAddress, chain: 'BOTH' }, {})
    const { id } = await until('the record is there', async () => {
      const found = (await harness.call('GET', `/api/agents/${handle}`)).body
      return found.id && found
    })

    await harness.confirmed(id, 'BASE_SEPOLIA')
    await harness.confirmed(id, 'SKALE_TESTNET')
    const drip = await until('gas money is asked for', async () => {
      const { chains } = (await harness.call('GET', `/api/agent-register/status/${id}`)).body
      return chains.SKALE_TESTNET.status === 'confirmed'
    })
    assert.ok(drip)
    const txHash = hex(32)
    const about = {
      opKey: `gas.drip:${walletAddress}`,
      round: 1,
      kind: 'gas.drip',
      network: 'SKALE_TESTNET',
      aggregateKey: `wallet:${walletAddress}`,
      seq: 1,
    } as const
    await harness.platform.publish(
      chainOutcome('gas.drip').confirmed.of({ ...about, txHash, blockNumber: 9, blockHash: hex(32), blockTime: 1, logs: [], already: false }),
    )

    const { status, body } = await answer
    assert.equal(status, 201)
    assert.equal(body.agent.preferredChain, 'BASE_SEPOLIA')
    assert.match(body.base.txHash, /^0x[0-9a-f]{64}$/)
    assert.equal(body.skale.registered, true)
    assert.equal(body.skale.sfuelDripped, true)
    assert.equal(body.skale.sfuelTxHash, txHash)
    assert.equal(body.onChain.status, 'confirmed')
  })

  it('sends no gas money when SKALE fails, and says partial', async () => {
    const agent = await harness.agent({ chain: 'BOTH' })

    await harness.confirmed(agent.id, 'BASE_SEPOLIA')
    await harness.failed(agent.id, 'SKALE_TESTNET')

    const progress = await until('both are received', async () => {
      const { body } = await harness.call('GET', `/api/agent-register/status/${agent.id}`)
      return body.chains.SKALE_TESTNET.status === 'failed' && body.chains.BASE_SEPOLIA.status === 'confirmed' && body
    })
    assert.equal(progress.status, 'partial')
    assert.equal(progress.sfuelDripped, false)
    assert.equal(progress.chains.SKALE_TESTNET.attempts, 5)
  })

  it('answers with the badge that it earns, as a read right after does', async () => {
    const handle = newHandle()
    const answering = register({ handle, walletAddress: newWallet() }, {})
    const { id } = await until('it is recorded', async () => {
      const agent = await read(handle)
      return agent.id && agent
    })

    await harness.confirmed(id, 'BASE_SEPOLIA')

    const { body } = await answering
    assert.deepEqual([body.agent.badges, (await read(id)).badges], [['ERC-8004 Registered'], ['ERC-8004 Registered']])
  })

  it('shows the same after repeated and reordered words of the relayer', async () => {
    const agent = await harness.agent()
    const txHash = hex(32)
    const tokenId = await harness.confirmed(agent.id, 'BASE_SEPOLIA', { seq: 2, txHash })
    await until('confirmed', async () => (await read(agent.id)).erc8004Registered)

    await harness.submitted(agent.id, 'BASE_SEPOLIA', 1)
    await harness.failed(agent.id, 'BASE_SEPOLIA', { seq: 1 })
    await harness.confirmed(agent.id, 'BASE_SEPOLIA', { seq: 2, txHash, tokenId })
    const other = await harness.agent()
    await harness.confirmed(other.id, 'BASE_SEPOLIA')
    await until('all are received', async () => (await read(other.id)).erc8004Registered)

    const after = await read(agent.id)
    assert.equal(after.erc8004TokenId, tokenId)
    assert.equal(after.onChain.txHash, txHash)
    assert.equal(after.onChain.status, 'confirmed')
    assert.equal(after.version, 2)
  })

  it('is verified while the log shows the wallet as owner of the token', async () => {
    const agent = await harness.agent()
    const tokenId = await harness.confirmed(agent.id, 'BASE_SEPOLIA')
    const transfer = (to: string, blockNumber: number) => {
      const block = { txHash: hex(32), blockNumber, blockHash: hex(32), blockTime: 1 }
      const log = { contract: 'IdentityRegistry', event: 'Transfer', address: hex(20), logIndex: 0, args: { from: hex(20), to, tokenId } }
      return chainEvent('IdentityRegistry', 'Transfer').of({ logId: hex(8), network: 'BASE_SEPOLIA', ...log, ...block, final: false })
    }

    await harness.platform.publish(transfer(agent.wallet, 7))
    await until('verified', async () => (await read(agent.id)).isVerified)
    await harness.platform.publish(transfer(newWallet(), 9))
    await until('no more', async () => (await read(agent.id)).isVerified === false)
    await harness.platform.publish(transfer(agent.wallet, 8))
    const witness = await harness.agent()
    await harness.confirmed(witness.id, 'BASE_SEPOLIA')
    await until('the older log was received', async () => (await read(witness.id)).erc8004Registered)
    assert.equal((await read(agent.id)).isVerified, false)
  })

  it('shows the latest score that reputation published, in any order of arrival', async () => {
    const agent = await harness.agent()
    const score = (fusedScore: number) =>
      scoreChanged.of({
        agentId: agent.id,
        fusedScore,
        previousScore: 15,
        tier: 'Bronze Pinch',
        riskScore: 3,
        riskLevel: 'low',
        components: { gigPerformance: 1, bondReliability: 2, onChainBehaviour: 3, ecosystemSignals: 4 },
        badges: ['Trusted'],
        totalGigsCompleted: 2,
        totalEarned: 12_500_000n,
        gigCompletionRate: 1,
        formulaVersion: '1',
        computedAt: new Date().toISOString(),
      })

    await harness.platform.publish(score(40.4), 3)
    await until('it shows', async () => (await read(agent.id)).fusedScore === 40.4)
    await harness.platform.publish(score(20), 2)
    await harness.platform.publish(score(41), 4)
    await until('the newest shows', async () => (await read(agent.id)).fusedScore === 41)

    const shown = await read(agent.id)
    assert.equal(shown.totalEarned, 12.5)
    assert.deepEqual(shown.badges, ['Trusted'])
    assert.equal(shown.components.onChainBehaviour, 3)
    assert.equal(shown.tier, 'Bronze Pinch')
  })

  it('has the platform agent from the first start', async () => {
    const { body } = await harness.call('GET', '/api/agents/carapace')
    assert.equal(body.walletAddress.toLowerCase(), '0x00000000000000000000000000000000000000aa')
    assert.equal(body.cardTokenId, 1)
  })

  it('finds agents by id, handle in any case, and text; unknown ones are 404', async () => {
    const agent = await harness.agent({ description: 'Reviews (vaults) with care', skills: ['c++'] })
    for (const path of [agent.id, agent.id.toUpperCase(), agent.handle, `handle/${agent.handle.toUpperCase()}`])
      assert.equal((await harness.call('GET', `/api/agents/${path}`)).body.id, agent.id, path)
    for (const q of ['(VAULTS)', 'c++', agent.handle]) {
      const { body } = await harness.call('GET', `/api/agents/search?q=${encodeURIComponent(q)}&limit=1`)
      assert.ok(body.total >= 1)
      assert.equal(body.agents[0].id, agent.id, q)
    }
    for (const path of ['nobody', randomUUID(), 'handle/nobody', 'by-molt/nobody']) {
      const { status, body } = await harness.call('GET', `/api/agents/${path}`)
      assert.equal(status, 404)
      assert.equal(body.code, 'NOT_FOUND')
    }
    assert.deepEqual((await harness.call('GET', '/api/agents/search?q=')).body.agents, [])
    const ofWallet = (wallet: string) => harness.call('GET', `/api/wallets/${wallet}/agent`)
    assert.equal((await ofWallet(agent.wallet.toLowerCase())).body.id, agent.id)
    assert.deepEqual([(await ofWallet(`0x${'9'.repeat(40)}`)).status, (await ofWallet('0x1')).body.code], [404, 'VALIDATION_ERROR'])
  })
})

describe('the owner of an identity token', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ hasRegistry: true })
  })
  after(() => harness.close())

  const read = async (id: string) => (await harness.call('GET', `/api/agents/${id}`)).body

  it('is read from the registry when the block of a transfer was reorged', async () => {
    const agent = await harness.agent()
    const tokenId = await harness.confirmed(agent.id, 'BASE_SEPOLIA')
    const transfer = (to: string, blockNumber: number) => {
      const block = { txHash: hex(32), blockNumber, blockHash: hex(32), blockTime: 1 }
      const log = { contract: 'IdentityRegistry', event: 'Transfer', address: hex(20), logIndex: 0, args: { from: hex(20), to, tokenId } }
      return { logId: hex(8), network: 'BASE_SEPOLIA' as const, ...log, ...block }
    }
    const sale = transfer(newWallet(), 9)
    const sold = chainEvent('IdentityRegistry', 'Transfer')
    await harness.platform.publish(sold.of({ ...transfer(agent.wallet, 7), final: true }))
    await until('verified', async () => (await read(agent.id)).isVerified)
    await harness.platform.publish(sold.of({ ...sale, final: true }))
    await until('sold', async () => (await read(agent.id)).isVerified === false)

    harness.owners.set(tokenId, agent.wallet)
    await harness.platform.publish(chainEventRemoved.of(sale))

    await until('verified again', async () => (await read(agent.id)).isVerified)
    await harness.platform.publish(sold.of({ ...transfer(newWallet(), 10), final: true }))
    await until('sold after all', async () => (await read(agent.id)).isVerified === false)
  })
})
