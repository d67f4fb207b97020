import assert from 'node:assert/strict'
import { doctorChecks, newWallet, type Player, until } from '@carapace/testing'
import { Contract, ZeroAddress } from 'ethers'
import { replacementAroundTests } from '../../testing/around-tests.ts'
import { untilCleared, untilHealthy } from '../../testing/health.ts'
import { micro } from '../../testing/job.ts'
import { postPaying } from '../../testing/x402-clients.ts'

const chain = 'BASE_SEPOLIA'
const abi = [
  'function resolve(string) view returns (address)',
  'function totalSales() view returns (uint256)',
  'function transferFrom(address,address,uint256)',
]

describe('a registry of names that is replaced', function () {
  this.timeout(240_000)
  const { platform, start, replace } = replacementAroundTests(chain, 'DomainRegistry', {
    INTERNAL_KEY: '5c'.repeat(32),
    X402_PAY_TO_ADDRESS: newWallet(),
  })
  let contracts: Awaited<ReturnType<typeof replace>>
  let owner: Player
  let buyer: Player
  let receiver: Player
  before(async () => {
    owner = await platform.newPlayer({ chain, usdc: 20, prefix: 'owner' })
    buyer = await platform.newPlayer({ chain, usdc: 20, prefix: 'buyer' })
    receiver = await platform.newPlayer({ chain, prefix: 'receiver' })
    await register(owner, nameOf(owner), '.molt', 0)
    await register(owner, nameOf(owner), '.agent', 5)
    // as one that was registered before its registry was stored
    const names = platform.service('domains').platform.db.connection.collection('domains')
    await names.updateOne({ fullDomain: `${nameOf(owner)}.agent` }, { $unset: { registry: 1 } })
    contracts = await replace()
    await start()
  })

  const nameOf = ({ handle }: Player) => `n-${handle.slice(-10)}`
  const request = ({ headers }: Player, name: string, tld: string, pricePaid: number) =>
    platform.call('POST', '/api/domains/register', { body: { name, tld, pricePaid }, headers })
  const register = async (player: Player, name: string, tld: string, pricePaid: number) => {
    const { status, body } = await request(player, name, tld, pricePaid)
    assert.equal(status, 201, JSON.stringify(body))
    return body.record
  }
  const registry = (address: string) => new Contract(address, abi, platform.networks[chain].provider)
  /** Whom both registries know as the owner of a name. */
  const ownersOf = async (full: string) => ({
    former: await registry(contracts.former).getFunction('resolve')(full),
    present: await registry(contracts.present).getFunction('resolve')(full),
  })
  const heldIn = async () => ({
    former: await platform.usdcOf(chain, contracts.former),
    present: await platform.usdcOf(chain, contracts.present),
  })

  it('has its names, which nobody can register in the new one', async () => {
    const full = `${nameOf(owner)}.agent`

    const refused = await request(buyer, nameOf(owner), '.agent', 5)

    assert.deepEqual([refused.status, refused.body.code], [409, 'NAME_TAKEN'])
    assert.equal((await platform.get(`/api/domains/${full}`)).owner, owner.wallet.address)
    assert.deepEqual(await ownersOf(full), { former: owner.wallet.address, present: ZeroAddress })
    assert.equal((await platform.get(`/api/agents/${owner.id}/molt-info`)).moltDomain, `${nameOf(owner)}.molt`)
  })

  it('has a new one next to it that new names are sold in, from an allowance or by x402', async () => {
    await platform.approve(buyer, chain)
    await register(buyer, nameOf(buyer), '.agent', 5)
    const fresh = await platform.newPlayer({ prefix: 'payer' })
    await platform.faucet(fresh.wallet.address, 20, chain)
    const paid = { name: nameOf(fresh), tld: '.agent', pricePaid: 5 }
    const response = await postPaying(platform, fresh, chain, '/api/domains/register', paid)

    assert.ok(response.ok, await response.text())
    for (const player of [buyer, fresh])
      await until('it is in the new registry alone', async () => {
        const { former, present } = await ownersOf(`${nameOf(player)}.agent`)
        return former === ZeroAddress && present === player.wallet.address
      })
    assert.deepEqual(await heldIn(), { former: micro(5), present: micro(10) })
    await untilHealthy(platform, 60)
  })

  it('is counted in the books together with the new one', async () => {
    const sold = await Promise.all([contracts.former, contracts.present].map(one => registry(one).getFunction('totalSales')()))

    assert.deepEqual(sold, [micro(5), micro(10)])
    const { count } = (await doctorChecks(platform, 'domains')).find(({ name }) => name === 'income')!
    assert.equal(count, 0)
  })

  it('follows what becomes of its names: a transfer through the API, one by the owner itself, a deletion', async () => {
    const [molt, agent] = [`${nameOf(owner)}.molt`, `${nameOf(owner)}.agent`]
    const { record } = await platform.get(`/api/domains/${agent}`)
    await platform.post(`/api/domains/${record.id}/transfer`, { toAddress: receiver.wallet.address }, owner.headers)
    await until('it is sent', async () => (await ownersOf(agent)).former === receiver.wallet.address)

    const { provider } = platform.networks[chain]
    await platform.faucet(receiver.wallet.address, 1, chain)
    const token = new Contract(contracts.former, abi, receiver.wallet.connect(provider))
    await (await token.getFunction('transferFrom')(receiver.wallet.address, buyer.wallet.address, record.tokenId)).wait()
    await until('the API shows the new owner', async () => (await platform.get(`/api/domains/${agent}`)).owner === buyer.wallet.address)

    const deleted = await platform.call('DELETE', `/api/molt-domains/${molt}`, { headers: owner.headers })
    assert.ok(deleted.status < 300, JSON.stringify(deleted.body))
    await until('it is deleted', async () => (await platform.call('GET', `/api/domains/${molt}`)).status === 404)
    assert.deepEqual(await ownersOf(molt), { former: ZeroAddress, present: ZeroAddress })
    // registered again by its former owner, it is where it was
    await register(owner, nameOf(owner), '.molt', 0)
    assert.deepEqual(await ownersOf(molt), { former: owner.wallet.address, present: ZeroAddress })
    await untilHealthy(platform, 60)
    await untilCleared(platform)
  })
})
