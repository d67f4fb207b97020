import assert from 'node:assert/strict'
import { newWallet, type Player, until } from '@carapace/testing'
import { MaxUint256 } from 'ethers'
import { platformAroundTests } from '../../testing/around-tests.ts'
import { untilHealthy } from '../../testing/health.ts'
import { pauserOf, reorganise, reversibleBlocks, signedCall } from '../../testing/reorganise.ts'
import { authorizedV2 } from '../../testing/x402-clients.ts'

const chain = 'BASE_SEPOLIA'

describe('a name of which the chain reverses something', function () {
  this.timeout(300_000)
  const platform = platformAroundTests({ ...reversibleBlocks, env: { X402_PAY_TO_ADDRESS: newWallet() } })

  const contracts = () => platform.networks[chain].contracts
  const register = async (player: Player, name: string, tld: string, pricePaid: number) => {
    const request = { body: { name, tld, pricePaid }, headers: { 'x-wallet-address': player.wallet.address } }
    const { status, body } = await platform.call('POST', '/api/domains/register', request)
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }
  const find = (full: string) => platform.call('GET', `/api/domains/${full}`)
  const ownerIs = (full: string, { wallet }: Player, seconds?: number) =>
    until(
      `${full} belongs to ${wallet.address}`,
      async () => {
        const { body } = await find(full)
        return body.owner === wallet.address && body
      },
      seconds,
    )
  const usdcOf = ({ wallet }: Player) => platform.usdcOf(chain, wallet.address)
  const assertHealthy = () => untilHealthy(platform, 60)

  it('is charged and minted once in another block', async () => {
    const player = await platform.newPlayer({ usdc: 20 })
    const { record, onChain, fullDomain } = await register(player, 'included-again', '.agent', 5)

    await reorganise(platform, chain, onChain.blockNumber)

    await until('it is in another block', async () => {
      const { body } = await find(fullDomain)
      return body.record?.onChain.status === 'confirmed' && body.record.onChain.blockNumber !== onChain.blockNumber
    })
    assert.deepEqual([(await find(fullDomain)).body.record.id, await usdcOf(player)], [record.id, 15_000_000n])
    await assertHealthy()
  })

  it('is free again, and unpaid, when its sale is lost; somebody else registers it', async () => {
    const [player, other] = [await platform.newPlayer({ usdc: 20 }), await platform.newPlayer({ usdc: 20 })]
    const { onChain, fullDomain } = await register(player, 'sale-is-lost', '.agent', 5)
    const withdrawn = await signedCall(platform, chain, player, contracts().usdc, 'approve', [contracts().domains, 0])

    await reorganise(platform, chain, onChain.blockNumber, [withdrawn])

    await until('nobody has it', async () => (await find(fullDomain)).status === 404, 60)
    assert.equal(await usdcOf(player), 20_000_000n)
    assert.equal((await platform.get(`/api/domains/wallet/${player.wallet.address}`)).total, 0)
    await assertHealthy()
    await register(other, 'sale-is-lost', '.agent', 5)
    assert.deepEqual([(await find(fullDomain)).body.owner, await usdcOf(other)], [other.wallet.address, 15_000_000n])
    await assertHealthy()
  })

  /** A player whose custodial wallet has 20 USDC. */
  const saver = async () => {
    const player = await platform.newPlayer()
    const { depositAddress } = await platform.post(`/api/agents/${player.id}/treasury/fund`, {}, player.headers)
    await platform.faucet(depositAddress, 20, chain)
    const balance = async () => (await platform.call('GET', `/api/agents/${player.id}/treasury/balance`, { headers: player.headers })).body
    const has = (available: number, seconds?: number) =>
      until(
        `the treasury has ${available}, and nothing is set aside`,
        async () => {
          const { balance: found, reserved } = await balance()
          if (found !== available || Number(reserved) !== 0) throw new Error(`it has ${found} and ${reserved} set aside`)
          return true
        },
        seconds,
      )
    await has(20_000_000)
    return { player, depositAddress: String(depositAddress), has }
  }

  it('is paid by a treasury once, in another block', async () => {
    const { player, has } = await saver()
    const { onChain, fullDomain } = await register(player, 'paid-by-treasury', '.agent', 5)

    await reorganise(platform, chain, onChain.blockNumber)

    await until('it is in another block', async () => {
      const { body } = await find(fullDomain)
      return body.record?.onChain.status === 'confirmed' && body.record.onChain.blockNumber !== onChain.blockNumber
    })
    await has(15_000_000)
    await assertHealthy()
  })

  it('is free again, and a treasury has its money back once, when the mint fails for good or its block is dropped', async () => {
    const { player, depositAddress, has } = await saver()
    const { provider } = platform.networks[chain]
    const pauser = await pauserOf(platform, chain)
    const signed = (call: string) => signedCall(platform, chain, pauser, contracts().domains, call, [])
    const send = async (call: string) => provider.waitForTransaction((await provider.broadcastTransaction(await signed(call))).hash)
    const isFree = async (full: string) => {
      await until('nobody has it', async () => (await find(full)).status === 404, 90)
      await has(20_000_000, 60)
      assert.equal(await platform.usdcOf(chain, depositAddress), 20_000_000n)
    }

    const sold = await register(player, 'paid-and-lost', '.agent', 5)
    await has(15_000_000)
    const paused = await signed('pause')
    await reorganise(platform, chain, sold.onChain.blockNumber, [paused])
    await isFree(sold.fullDomain)
    await assertHealthy()

    const request = { body: { name: 'never-minted', tld: '.agent', pricePaid: 5 }, headers: { 'x-wallet-address': player.wallet.address } }
    const refused = await platform.call('POST', '/api/domains/register', request)
    assert.ok(refused.status !== 201, JSON.stringify(refused.body))
    await isFree('never-minted.agent')
    await send('unpause')
    await assertHealthy()

    const again = await register(player, 'paid-and-lost', '.agent', 5)
    await has(15_000_000)
    assert.deepEqual([again.record.ownerWallet, await platform.usdcOf(chain, depositAddress)], [player.wallet.address, 15_000_000n])
    await assertHealthy()
  })

  describe('that x402 has paid', () => {
    /** The player's allowance covers nothing, so its name is paid by x402. */
    const pay = async (name: string) => {
      const player = await platform.newPlayer()
      await platform.faucet(player.wallet.address, 20, chain)
      const request = { body: { name, tld: '.agent', pricePaid: 5 }, headers: player.headers }
      const offered = async () => {
        const { headers } = await platform.call('POST', '/api/domains/register', request)
        return headers.has('payment-required') && headers
      }
      const payment = await authorizedV2(await until('x402 is offered', offered, 60), player)
      const paid = { ...request, headers: { ...player.headers, 'payment-signature': payment } }
      await platform.call('POST', '/api/domains/register', paid)
      // a busy machine may answer too late; what was paid for is registered all the same
      const isRegistered = async () => {
        const { body } = await find(`${name}.agent`)
        return body.record?.onChain.status === 'confirmed' && body.record
      }
      const record = await until('it is registered', isRegistered, 60)
      await until('the payment is spent', async () => (await stateOf(player)) === 'spent', 60)
      return { player, record, onChain: record.onChain, fullDomain: `${name}.agent` }
    }
    const stateOf = async ({ id }: Player) => (await platform.get(`/api/x402/payments/${id}`)).payments[0]?.state
    it('is minted once in another block, for one payment', async () => {
      const { player, record, onChain, fullDomain } = await pay('paid-and-included-again')

      await reorganise(platform, chain, onChain.blockNumber)

      const isMoved = async () => {
        const { body } = await find(fullDomain)
        return body.record?.onChain.status === 'confirmed' && body.record.onChain.blockNumber !== onChain.blockNumber
      }
      await until('it is in another block', isMoved, 60)
      assert.deepEqual([(await find(fullDomain)).body.record.id, await usdcOf(player), await stateOf(player)], [record.id, 15_000_000n, 'spent'])
      await assertHealthy()
    })

    it('is free again, and its money goes back once, when its mint is lost', async () => {
      const pauser = await pauserOf(platform, chain)
      const { player, onChain, fullDomain } = await pay('paid-by-x402-and-lost')
      const paused = await signedCall(platform, chain, pauser, contracts().domains, 'pause', [])

      await reorganise(platform, chain, onChain.blockNumber, [paused])

      await until('nobody has it', async () => (await find(fullDomain)).status === 404, 90)
      assert.equal(await usdcOf(player), 15_000_000n)
      await platform.advance(180)
      await until('the payment is returned', async () => (await stateOf(player)) === 'returned', 60)
      await platform.networks[chain].provider.broadcastTransaction(await signedCall(platform, chain, pauser, contracts().domains, 'unpause', []))
      await platform.advance(48 * 3_600)
      await assertHealthy()
      assert.deepEqual([await usdcOf(player), await stateOf(player)], [20_000_000n, 'returned'])
    })
  })

  it('belongs to its former owner when the chain drops a transfer that it made there', async () => {
    const [alice, bob] = [await platform.newPlayer({ usdc: 1 }), await platform.newPlayer()]
    const { record, fullDomain } = await register(alice, 'sent-and-dropped', '.molt', 0)
    const { provider } = platform.networks[chain]
    const nonce = await provider.getTransactionCount(alice.wallet.address)
    const terms = [alice.wallet.address, bob.wallet.address, record.tokenId]
    const sent = await signedCall(platform, chain, alice, contracts().domains, 'transferFrom', terms, nonce)
    const { hash } = await provider.broadcastTransaction(sent)
    await provider.waitForTransaction(hash)
    await ownerIs(fullDomain, bob)
    const { blockNumber } = (await provider.getTransactionReceipt(hash))!
    const other = await signedCall(platform, chain, alice, contracts().usdc, 'approve', [contracts().escrow, MaxUint256], nonce)

    await reorganise(platform, chain, blockNumber, [other])

    const { agent } = await ownerIs(fullDomain, alice, 90)
    assert.equal(agent.id, alice.id)
    await until('the agent shows it', async () => (await platform.get(`/api/agents/${alice.id}`)).moltDomain === fullDomain)
    assert.equal((await platform.get(`/api/agents/${bob.id}`)).moltDomain, null)
    await assertHealthy()
  })

  it('follows a transfer of the platform into another block', async () => {
    const [alice, bob] = [await platform.newPlayer(), await platform.newPlayer()]
    const { record, fullDomain } = await register(alice, 'sent-through-us', '.molt', 0)
    const transfer = { body: { toAddress: bob.wallet.address }, headers: { 'x-wallet-address': alice.wallet.address } }
    const { body } = await platform.call('POST', `/api/domains/${record.id}/transfer`, transfer)

    await reorganise(platform, chain, body.record.onChain.blockNumber)

    await until('it is in another block', async () => {
      const { onChain } = (await find(fullDomain)).body.record
      return onChain.status === 'confirmed' && onChain.blockNumber !== body.record.onChain.blockNumber
    })
    assert.equal((await ownerIs(fullDomain, bob)).agent.id, bob.id)
    await assertHealthy()
  })
})
