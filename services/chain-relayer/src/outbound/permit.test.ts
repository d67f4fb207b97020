import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { commands, contractInterface, permitDigest } from '@carapace/chain'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { type Kit, startKit, wallet } from '../testing/kit.ts'
import { sendForeign } from '../testing/workload.ts'

const chain = 'BASE_SEPOLIA'
const price = 25_000_000n
const abi = contractInterface('USDC')

describe('a lock paid by a permit', () => {
  let kit: Kit
  before(async () => {
    kit = await startKit()
    await kit.start()
  })
  after(() => kit.close())

  const read = async (fn: string, args: readonly unknown[]) => {
    const answer = await kit.rpc.call('eth_call', [{ to: kit.devnet.addresses.USDC, data: abi.encodeFunctionData(fn, args) }, 'latest'])
    return BigInt(String(abi.decodeFunctionResult(fn, String(answer))[0]))
  }

  /** A poster with money and its signed permit for the escrow. */
  async function poster(deadline = BigInt(Math.floor(Date.now() / 1_000) + 3_600)) {
    const owner = Wallet.createRandom()
    const mint = commands.faucetMint({ chain, requestId: randomUUID(), to: owner.address, amount: price })
    await kit.send(mint)
    await until('funded', () => kit.of(mint.subject, 'confirmed').length > 0)
    const verifyingContract = kit.devnet.addresses.USDC
    const domain = { name: 'USDC', version: '2', chainId: 84532, verifyingContract }
    const spender = kit.devnet.addresses.Escrow
    const digest = permitDigest(domain, { owner: owner.address, spender, value: price, nonce: 0n, deadline })
    return {
      address: owner.address,
      spender,
      source: { kind: 'permit' as const, value: price, deadline, signature: owner.signingKey.sign(digest).serialized },
    }
  }
  const lockOf = ({ address, source }: Awaited<ReturnType<typeof poster>>) =>
    commands.escrowLock({ chain, gigId: randomUUID(), poster: address, payee: wallet(), amount: price, source })

  it('runs permit and lock in one transaction, once', async () => {
    const one = await poster()
    const before = await read('balanceOf', [one.spender])
    const draft = lockOf(one)
    await kit.send(draft, draft)

    await until('locked', () => kit.of(draft.subject, 'finalized').length > 0)
    assert.equal(await kit.db.txs.countDocuments({ 'ops.opKey': draft.subject, nonce: { $ne: null } }), 1)
    assert.equal((await read('balanceOf', [one.spender])) - before, price)
    assert.equal(await read('balanceOf', [one.address]), 0n)
  })

  it('holds although somebody else has submitted the permit', async () => {
    const one = await poster()
    const { value, deadline, signature } = one.source
    const data = abi.encodeFunctionData('permit(address,address,uint256,uint256,bytes)', [one.address, one.spender, value, deadline, signature])
    await sendForeign(kit.rpc, { to: kit.devnet.addresses.USDC, data })
    await until('allowed', async () => (await read('allowance', [one.address, one.spender])) === price)
    const draft = lockOf(one)
    await kit.send(draft)

    await until('locked', () => kit.of(draft.subject, 'confirmed').length > 0)
    assert.equal(await read('balanceOf', [one.address]), 0n)
  })

  it('fails for good with an expired permit, and leaves the money where it was', async () => {
    const one = await poster(1n)
    const draft = lockOf(one)
    await kit.send(draft)

    const failed = await until('failed', () => kit.of(draft.subject, 'failed').find(event => event.data.terminal))
    assert.match(String(failed.data.message), /exceeds allowance/)
    assert.equal(kit.of(draft.subject, 'confirmed').length, 0)
    assert.equal(await read('balanceOf', [one.address]), price)
  })
})
