import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chainCommand, type Draft, outcomeNameOf } from '@carapace/api'
import { authorizationDigest, commands, contractInterface } from '@carapace/chain'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import type { Lane } from '../../lane/lane.ts'
import { wallet } from '../../testing/kit.ts'
import { faultyKitPerTest } from '../../testing/kit-per-test.ts'
import { newOp } from '../intake.ts'
import { endChecks, includableMs } from '../public-authorization.ts'

const chain = 'BASE_SEPOLIA'
const amount = 5n
const token = contractInterface('USDC')
const fees = { type: 2, chainId: 84532, gasLimit: 150_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }

describe('a payment whose transaction has shown its authorisation and failed', function () {
  this.timeout(180_000)
  const { kit, door } = faultyKitPerTest(11)
  const outcomes = ({ subject }: Draft) => kit.of(subject).map(({ type }) => outcomeNameOf(type))
  const block = async (tag: string) => (await kit.rpc.call('eth_getBlockByNumber', [tag, false])) as { number: string; timestamp: string }
  async function fund(address: string) {
    const mint = commands.faucetMint({ chain, requestId: randomUUID(), to: address, amount })
    await kit.send(mint)
    await until('funded', async () => (await kit.usdcOf(address)) >= amount)
  }
  /** A call of the token by another wallet than the lane's. */
  async function sendBy(signer: Pick<Wallet, 'address' | 'signTransaction'>, data: string) {
    await kit.rpc.call('anvil_setBalance', [signer.address, '0xde0b6b3a7640000'])
    const hash = await kit.rpc.call('eth_sendRawTransaction', [
      await signer.signTransaction({ ...fees, nonce: 0, to: kit.devnet.addresses.USDC, data }),
    ])
    await until('in a block', () => kit.rpc.call('eth_getTransactionReceipt', [hash]))
  }

  /** Its node swallows the transaction until the payer's money is away. */
  async function failedInBlock() {
    await kit.start({ rpcUrl: door.url, batchSize: 1, finality: 2 })
    const payer = Wallet.createRandom()
    const payTo = wallet()
    await fund(payer.address)
    const validBefore = BigInt(Number((await block('latest')).timestamp) + 600)
    const message = { type: 'TransferWithAuthorization' as const, from: payer.address, to: payTo, value: amount, validAfter: 0n, validBefore }
    const nonce = `0x${randomUUID().replaceAll('-', '').repeat(2)}`
    const domain = { name: 'USDC', version: '2', chainId: 84532, verifyingContract: kit.devnet.addresses.USDC }
    const signature = payer.signingKey.sign(authorizationDigest(domain, { ...message, nonce })).serialized
    const draft = commands.treasurySettleX402({
      ...{ paymentId: randomUUID(), from: payer.address, to: payTo, amount, chain, nonce, validAfter: 0n, validBefore, signature },
      deadline: new Date(Date.now() + 900_000),
    })
    door.faults.swallow = 1
    await kit.send(draft)
    await until('signed', () => kit.db.txs.findOne({ liveOps: draft.subject }))
    await sendBy(payer, token.encodeFunctionData('transfer', [wallet(), amount]))
    door.faults.swallow = 0
    await until('it failed in a block', async () => (await kit.db.ops.findOne({ _id: draft.subject }))?.failLater)
    const args = [payer.address, payTo, amount, 0n, validBefore, nonce, signature]
    const data = token.encodeFunctionData('transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)', args)
    return { draft, payer, payTo, validBefore, data }
  }

  it('is confirmed when somebody else submits it, and was never reported failed', async () => {
    const { draft, payer, payTo, data } = await failedInBlock()

    await fund(payer.address)
    await sendBy(Wallet.createRandom(), data)

    await until('confirmed', () => outcomes(draft).includes('confirmed'), 30)
    assert.deepEqual([outcomes(draft).includes('failed'), await kit.usdcOf(payTo)], [false, amount])
  })

  it('costs no read of a block before the head is past its end, and one of all that are', async () => {
    const lane = (await kit.start({ finality: 2 })).current()!
    const methods: string[] = []
    const call: Lane['rpc']['call'] = (method, ...rest) => {
      methods.push(method)
      return lane.rpc.call(method, ...rest)
    }
    const counted = {
      ...lane,
      head: { ...lane.head, time: 1_000 },
      rpc: { ...lane.rpc, call },
    }
    const checks = endChecks(counted)
    const shown = (validBefore: bigint) => {
      const args = { paymentId: randomUUID(), from: wallet(), to: wallet(), amount, nonce: `0x${'1'.repeat(64)}`, validAfter: 0n, validBefore }
      const { data } = commands.treasurySettleX402({ ...args, chain, signature: `0x${'1'.repeat(130)}` })
      return { ...newOp(chainCommand.parse(data), lane.id, 1, 1, null), openUntil: 1 }
    }

    assert.equal(await includableMs(counted, shown(1_900n), checks), 10_000)
    assert.deepEqual(methods, [])
    assert.equal(await includableMs(counted, shown(900n), checks), 0)
    assert.equal(await includableMs(counted, shown(900n), checks), 0)
    assert.deepEqual(methods, ['eth_getBlockByNumber'])
  })

  it('is reported failed once a final block is past its end', async () => {
    const { draft, payTo, validBefore } = await failedInBlock()
    assert.equal(outcomes(draft).includes('failed'), false)

    await kit.rpc.call('evm_increaseTime', [700])

    await until('failed', () => outcomes(draft).includes('failed'), 30)
    const { number } = await block('latest')
    const final = await block(`0x${(Number(number) - 2).toString(16)}`)
    assert.equal(BigInt(final.timestamp) >= validBefore, true)
    assert.equal(await kit.usdcOf(payTo), 0n)
  })
})
