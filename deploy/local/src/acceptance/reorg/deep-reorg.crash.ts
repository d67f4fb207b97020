import assert from 'node:assert/strict'
import { type Player, until } from '@carapace/testing'
import { Interface } from 'ethers'
import { platformAroundTests } from '../../testing/around-tests.ts'
import { untilHealthy } from '../../testing/health.ts'
import { micro } from '../../testing/job.ts'
import { reversibleBlocks } from '../../testing/reorganise.ts'

const chain = 'BASE_SEPOLIA'
const usdc = new Interface(['function transfer(address,uint256)'])
/** Blocks between a deposit and what came before it, so that a reorganisation reverses nothing else. */
const apart = 6
/** More than finality, which is 2 blocks here. */
const depth = 4

describe('deposits under reorganisations deeper than finality', function () {
  this.timeout(300_000)
  const platform = platformAroundTests(reversibleBlocks)
  afterEach(() => booksEqualTheChain())

  const send = (method: string, params: unknown[]) => platform.networks[chain].provider.send(method, params)
  const mine = (blocks: number) => send('anvil_mine', [`0x${blocks.toString(16)}`])
  const blockOf = async (hash: string) => (await platform.networks[chain].provider.getTransactionReceipt(hash))?.blockNumber
  const treasury = async ({ id, headers }: Player, what: string, method = 'GET', body?: unknown) =>
    platform.call(method, `/api/agents/${id}/treasury/${what}`, { headers, ...(body === undefined ? {} : { body }) })
  const funds = async (player: Player): Promise<[available: number, reserved: number, debt: number]> => {
    const { body } = await treasury(player, 'balance')
    return [body.balance, body.reserved, body.debt]
  }
  const has = (player: Player, available: number) =>
    until(`${available} available`, async () => String(await funds(player)) === `${available},0,0`, 60)
  const credits = async (player: Player): Promise<[number, string][]> => {
    const { transactions } = (await treasury(player, 'history')).body
    return transactions.flatMap(({ type, amount, status }: Record<string, unknown>) => (type === 'credit' ? [[amount, status]] : []))
  }
  const booksEqualTheChain = () => untilHealthy(platform, 60)

  const transfer = async ({ wallet }: Player, to: string, amount: number) => {
    const { provider, contracts, chainId } = platform.networks[chain]
    const data = usdc.encodeFunctionData('transfer', [to, micro(amount)])
    const nonce = await provider.getTransactionCount(wallet.address)
    const { gasPrice } = await provider.getFeeData()
    const raw = await wallet.signTransaction({ to: contracts.usdc, data, nonce, chainId, gasLimit: 100_000, gasPrice: gasPrice! * 2n, type: 0 })
    const hash: string = await send('eth_sendRawTransaction', [raw])
    return { raw, hash }
  }
  /** A player with a custodial wallet that its own transaction has paid `amount` into: credited, and as deep as given. */
  const depositor = async (amount: number) => {
    const player = await platform.newPlayer({ usdc: amount, prefix: 'depositor' })
    const { depositAddress } = await platform.post(`/api/agents/${player.id}/treasury/fund`, {}, player.headers)
    await mine(apart)
    const { raw, hash } = await transfer(player, depositAddress, amount)
    const block = await until('it is in a block', () => blockOf(hash))
    await mine(depth)
    await has(player, amount * 1e6)
    return { player, depositAddress: String(depositAddress), raw, hash, block }
  }
  /** The blocks from this one on are made again, with these transactions in the last of them. */
  const reorganise = async (block: number, transactions: readonly string[]) => {
    const blocks = (await platform.networks[chain].provider.getBlockNumber()) - block + 1
    assert.ok(blocks >= depth)
    await send('anvil_reorg', [blocks, transactions.map(raw => [raw, blocks - 1])])
    await mine(depth)
  }

  it('credits once what is included again in another block', async () => {
    const { player, depositAddress, raw, hash, block } = await depositor(20)

    await reorganise(block, [raw])

    await until('it is in another block', async () => ((await blockOf(hash)) ?? block) > block)
    const later = await depositor(1)
    await has(later.player, 1e6)
    await booksEqualTheChain()
    assert.deepEqual([await funds(player), await credits(player)], [[20e6, 0, 0], [[20e6, 'executed']]])
    assert.equal(await platform.usdcOf(chain, depositAddress), micro(20))
  })

  it('reverses what was lost, and credits it again when it is included much later', async () => {
    const { player, depositAddress, raw, block } = await depositor(20)

    await reorganise(block, [])
    await has(player, 0)
    await booksEqualTheChain()
    await send('eth_sendRawTransaction', [raw])
    await mine(depth)

    await has(player, 20e6)
    assert.deepEqual(await credits(player), [
      [20e6, 'executed'],
      [20e6, 'failed'],
    ])
    assert.equal(await platform.usdcOf(chain, depositAddress), micro(20))
  })

  it('makes a debt of what is spent, which blocks payments until the next deposit has covered it', async () => {
    const friend = await platform.newPlayer({ usdc: 20, prefix: 'friend' })
    const { player, depositAddress, block } = await depositor(20)
    const pay = (amount: number) => treasury(player, 'pay', 'POST', { recipientAgentId: friend.id, amount: amount * 1e6 })
    assert.equal((await pay(15)).body.status, 'executed')

    await reorganise(block, [])

    await until('it owes what it has spent', async () => String(await funds(player)) === '0,0,15000000', 60)
    const refused = await pay(1)
    assert.deepEqual([refused.status, refused.body.code, refused.body.details.debt], [402, 'INSUFFICIENT_BALANCE', 15e6])

    await transfer(friend, depositAddress, 20)
    await mine(depth)

    // the payment is sent again, or has failed: either way nothing is due, and the books say what the chain holds
    await until(
      'the books equal the chain',
      async () => {
        const [available, reserved, debt] = await funds(player)
        return available >= 5e6 && reserved === 0 && debt === 0 && (await platform.usdcOf(chain, depositAddress)) === BigInt(available)
      },
      60,
    )
    assert.equal((await pay(4)).body.status, 'executed')
  })
})
