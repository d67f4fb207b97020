import assert from 'node:assert/strict'
import { type Chain, chains } from '@carapace/api'
import { type Exchange, type Player, until } from '@carapace/testing'
import { Contract, EnsPlugin, JsonRpcProvider, Network, parseUnits } from 'ethers'
import { platformAroundTests } from '../testing/around-tests.ts'
import { assertDeclared } from '../testing/declared-answers.ts'
import { untilFaultless } from '../testing/health.ts'
import { registrationOutcome } from '../testing/registration.ts'
import { authorizationOf } from '../testing/signed-money.ts'

describe('names on both chains', function () {
  this.timeout(180_000)
  const clients: JsonRpcProvider[] = []
  after(() => {
    for (const client of clients) client.destroy()
  })
  const exchanges: Exchange[] = []
  const platform = platformAroundTests({ onAnswer: exchange => exchanges.push(exchange) })

  /** ethers as anybody uses it, knowing nothing but the address of our registry. */
  const ensClient = (chain: Chain): JsonRpcProvider => {
    const { rpcUrl, chainId, contracts } = platform.networks[chain]
    const network = new Network(chain, chainId).attachPlugin(new EnsPlugin(contracts.ensRegistry, chainId))
    const client = new JsonRpcProvider(rpcUrl, network, { staticNetwork: network, cacheTimeout: -1 })
    clients.push(client)
    return client
  }
  const registerAs = async (player: Player, body: object) =>
    registrationOutcome(
      platform,
      await platform.call('POST', '/api/domains/register', { body, headers: { 'x-wallet-address': player.wallet.address } }),
    )
  const register = (player: Player, name: string, tld: string, pricePaid = 0) => registerAs(player, { name, tld, pricePaid })
  const nameOf = (player: Player) => `n-${player.handle.slice(-10)}`

  for (const chain of chains)
    it(`registers a free .molt name on ${chain} that ethers resolves both ways`, async () => {
      const player = await platform.newPlayer({ chain })
      const full = `${nameOf(player)}.molt`

      const { status, body } = await register(player, nameOf(player), '.molt')

      assert.deepEqual([status, body.domain, body.record.status, body.record.ownerWallet], [201, full, 'active', player.wallet.address])
      const client = ensClient(chain)
      const resolver = await client.getResolver(full)
      assert.deepEqual(
        [await client.resolveName(full), await client.lookupAddress(player.wallet.address), await resolver?.getText('agentId')],
        [player.wallet.address, full, player.id],
      )
      const [url, avatar] = [await resolver?.getText('url'), await resolver?.getText('avatar')]
      assert.deepEqual(
        [url?.endsWith(`/api/agents/${player.handle}`), avatar?.endsWith(`/api/agents/${player.id}/card`)],
        [true, true],
        `${url} ${avatar}`,
      )
      await until('the agent shows its name', async () => (await platform.get(`/api/agents/${player.id}`)).moltDomain === full)
      const { id, handle } = player
      const profiles = [`handle/${handle}`, `by-molt/${full}`, `${handle}/erc8004`, `${full}/erc8004`, `${id}/molt-info`]
      for (const path of profiles) assert.equal((await platform.get(`/api/agents/${path}`)).moltDomain, full, path)
      const directory: { id: string; moltDomain: string | null }[] = await platform.get('/.well-known/agents.json')
      assert.equal(directory.find(entry => entry.id === id)?.moltDomain, full)
    })

  const sales = async (chain: Chain) => {
    const { provider, contracts } = platform.networks[chain]
    const registry = new Contract(contracts.domains, ['function totalSales() view returns (uint256)'], provider)
    return BigInt(await registry.getFunction('totalSales')())
  }
  const holds = (chain: Chain, address: string) => platform.usdcOf(chain, address)

  for (const chain of chains)
    it(`charges the price of a name on ${chain} from an allowance, in the transaction that mints it`, async () => {
      const player = await platform.newPlayer({ chain, usdc: 20 })
      const before = await sales(chain)

      const { status, body } = await register(player, nameOf(player), '.agent', 5)

      assert.deepEqual([status, body.free, body.pricePaid, body.record.pricePaid], [201, false, 5, 5])
      assert.equal((await sales(chain)) - before, parseUnits('5', 6))
      assert.equal(await holds(chain, player.wallet.address), parseUnits('15', 6))
      const receipt = await platform.networks[chain].provider.getTransactionReceipt(body.txHash)
      assert.equal(receipt?.logs.filter(({ address }) => address === platform.networks[chain].contracts.usdc).length, 1)
    })

  it('charges what an authorisation in the body allows: its nonce is in the 402 answer', async () => {
    const player = await platform.newPlayer()
    await platform.faucet(player.wallet.address, 20, 'BASE_SEPOLIA')
    const refused = await register(player, nameOf(player), '.agent', 5)
    assert.deepEqual([refused.status, refused.body.code], [402, 'FUNDS_REQUIRED'])
    const { nonce, onchain } = refused.body.details.options
    const authorization = await authorizationOf(platform, 'BASE_SEPOLIA', player, { to: onchain.contract, value: parseUnits('5', 6), nonce })

    const answer = await registerAs(player, { name: nameOf(player), tld: '.agent', pricePaid: 5, authorization })

    assert.deepEqual([answer.status, answer.body.pricePaid], [201, 5])
    assert.equal(await holds('BASE_SEPOLIA', player.wallet.address), parseUnits('15', 6))
  })

  it('charges a custodial treasury, whose books agree afterwards', async () => {
    const player = await platform.newPlayer()
    const { depositAddress } = await platform.post(`/api/agents/${player.id}/treasury/fund`, {}, player.headers)
    await platform.faucet(depositAddress, 20, 'BASE_SEPOLIA')
    const balance = async () => (await platform.call('GET', `/api/agents/${player.id}/treasury/balance`, { headers: player.headers })).body
    await until('the deposit is credited', async () => (await balance()).balance === 20_000_000)

    const { status, body } = await register(player, nameOf(player), '.agent', 5)

    assert.deepEqual([status, body.pricePaid], [201, 5])
    await until('treasury has booked it', async () => {
      const { balance: available, reserved } = await balance()
      return available === 15_000_000 && Number(reserved) === 0
    })
    assert.equal(await holds('BASE_SEPOLIA', depositAddress), parseUnits('15', 6))
  })

  for (const chain of chains)
    it(`follows a transfer that the owner makes on ${chain}, which clears the records, and one through the API`, async () => {
      const [alice, bob] = [await platform.newPlayer({ chain, usdc: 1 }), await platform.newPlayer({ chain })]
      const full = `${nameOf(alice)}.molt`
      const { body } = await register(alice, nameOf(alice), '.molt')
      const { provider, contracts } = platform.networks[chain]
      const registry = new Contract(contracts.domains, ['function transferFrom(address,address,uint256)'], alice.wallet.connect(provider))

      const sent = await registry.getFunction('transferFrom')(alice.wallet.address, bob.wallet.address, body.record.tokenId)
      await sent.wait()

      await until('the API shows the new owner', async () => {
        const { owner, agent } = await platform.get(`/api/domains/${full}`)
        return owner === bob.wallet.address && agent.id === bob.id
      })
      const client = ensClient(chain)
      assert.deepEqual(
        [
          await client.resolveName(full),
          await client.lookupAddress(alice.wallet.address),
          await client.lookupAddress(bob.wallet.address),
          await (await client.getResolver(full))?.getText('agentId'),
        ],
        [bob.wallet.address, null, full, ''],
      )
      const records = await client.getResolver(full)
      assert.deepEqual([await records?.getText('url'), await records?.getText('avatar')], ['', ''])
      const shown = async ({ id }: Player) => (await platform.get(`/api/agents/${id}`)).moltDomain
      await until('the agents show it', async () => (await shown(bob)) === full && (await shown(alice)) === null)
      assert.equal((await platform.get(`/api/domains/wallet/${bob.wallet.address}`)).total, 1)

      const path = `/api/domains/${body.record.id}/transfer`
      const to = { toAddress: alice.wallet.address }
      const stranger = await platform.call('POST', path, { body: to, headers: { 'x-wallet-address': alice.wallet.address } })
      assert.deepEqual([stranger.status, stranger.body.code], [403, 'NOT_OWNER'])
      const back = await platform.call('POST', path, { body: to, headers: { 'x-wallet-address': bob.wallet.address } })
      assert.deepEqual([back.status, back.body.record.ownerWallet, back.body.record.isPrimary], [200, alice.wallet.address, true])
      assert.deepEqual([await client.lookupAddress(alice.wallet.address), await client.lookupAddress(bob.wallet.address)], [full, null])
      await until('both are notified', async () => {
        const types = async ({ id }: Player) =>
          (await platform.get(`/api/agents/${id}/notifications`)).notifications.map(({ type }: { type: string }) => type)
        return (
          (await types(bob)).filter((type: string) => type === 'domain_transferred').length === 2 &&
          (await types(alice)).includes('domain_registered')
        )
      })
    })

  for (const chain of chains)
    it(`deletes a .molt name on ${chain}, which frees token, record and reverse record`, async () => {
      const player = await platform.newPlayer({ chain })
      const full = `${nameOf(player)}.molt`
      await register(player, nameOf(player), '.molt')
      await until('the agent shows it', async () => (await platform.get(`/api/agents/${player.id}`)).moltDomain === full)

      const { status } = await platform.call('DELETE', `/api/molt-domains/${full}`, { headers: player.headers })

      assert.equal(status, 200)
      const client = ensClient(chain)
      assert.deepEqual([await client.resolveName(full), await client.lookupAddress(player.wallet.address)], [null, null])
      await until('the agent shows none', async () => (await platform.get(`/api/agents/${player.id}`)).moltDomain === null)
    })

  it('was answered as the OpenAPI document says', () => assertDeclared(platform, exchanges))

  it('leaves nothing wrong in the books', async () => {
    const checked = (await untilFaultless(platform, 'domains')).map(({ name }) => name)
    assert.ok(checked.includes('income') && checked.includes('owners'), String(checked))
  })
})
