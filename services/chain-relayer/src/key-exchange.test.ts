import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chainRelayerApi, type Draft } from '@carapace/api'
import { commands, contractInterface } from '@carapace/chain'
import { acquireMongo, published, startPlatform, type TestMongo, type TestPlatform, until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { chainRelayer } from './index.ts'
import { openRpc } from './rpc/open.ts'
import type { Rpc } from './rpc/rpc.ts'
import { changeRoles } from './testing/exchange-roles.ts'
import { laneAddress, laneKey, nextAddress, nextKey } from './testing/keys.ts'
import { connected, type TestDevnet, testDevnet, wallet } from './testing/kit.ts'

const chain = 'BASE_SEPOLIA'
const headers = { 'x-admin-wallet': laneAddress }

describe('a relayer whose key is exchanged', function () {
  this.timeout(120_000)
  let folder: string
  let mongo: TestMongo
  let devnet: TestDevnet
  let rpc: Rpc
  let platform: TestPlatform
  /** Waits for money that nobody has sent to its wallet yet. */
  let unpaid: { draft: Draft; from: string }
  const formerKeys = { RELAYER_KEY_BASE_SEPOLIA: laneKey }
  const nextKeys = { RELAYER_KEY_BASE_SEPOLIA: nextKey }
  const bothKeys = { ...nextKeys, RELAYER_KEY_BASE_SEPOLIA_RETIRING: laneKey }

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-keys-'))
    mongo = await acquireMongo()
    devnet = await testDevnet()
    rpc = openRpc({ url: devnet.wsUrl, timeoutMs: 5_000 })
    await connected(rpc)
    platform = await start(formerKeys)
    const { address: from } = await call('custodyWallet', { body: { owner: randomUUID() } })
    unpaid = { from, draft: commands.treasuryPay({ chain, paymentId: randomUUID(), from, to: wallet(), amount: 3n }) }
    await publish(unpaid.draft)
    await until('it is accepted', async () => (await stateOf(unpaid.draft)) !== undefined)
    await platform.close()
  })
  after(async () => {
    await rpc.close()
    await devnet.close()
    await mongo.close()
    await rm(folder, { recursive: true, force: true })
  })

  const start = async (keys: Record<string, string>) => {
    const file = path.join(folder, 'addresses.json')
    await writeFile(file, JSON.stringify({ addresses: devnet.addresses, startBlock: 0 }))
    const custody = { CUSTODY_SEED_FILE: path.join(folder, 'custody.json'), CUSTODY_PASSPHRASE: 'a passphrase for tests' }
    return startPlatform([chainRelayer], { mongo, env: { BASE_SEPOLIA_RPC_URL: devnet.rpcUrl, BASE_SEPOLIA_ADDRESSES: file, ...custody, ...keys } })
  }
  const peers = () => platform.service('chain-relayer').platform.peers
  const call = (name: 'custodyWallet', args: { body: { owner: string } }) => peers().call('chain-relayer', chainRelayerApi.internal[name], args)
  const status = () => peers().call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain } })
  const publish = (draft: Draft) => platform.bus.publish([published(draft)])
  const viewOf = async ({ subject }: Draft) => (await platform.call('get', `/api/admin/chain-queue/${encodeURIComponent(subject)}`, { headers })).body
  const stateOf = async (draft: Draft) => (await viewOf(draft)).state
  const isFinal = (draft: Draft) => until(`${draft.subject} is final`, async () => (await stateOf(draft)) === 'FINAL', 60)
  const mint = async (to: string, amount: bigint) => {
    const draft = commands.faucetMint({ chain, requestId: randomUUID(), to, amount })
    await publish(draft)
    await isFinal(draft)
  }
  const senderOf = async (draft: Draft) => {
    const { result } = await viewOf(draft)
    const hash = result.txHash || (await viewOf(draft)).txHash
    return ((await rpc.call('eth_getTransactionByHash', [hash])) as { from: string }).from
  }

  it('is not started without the former key, which is named, while that has something to finish', async () => {
    await assert.rejects(
      start(nextKeys),
      new RegExp(`BASE_SEPOLIA: transactions or commands of ${laneAddress} are not finished, .*: set RELAYER_KEY_BASE_SEPOLIA_RETIRING to its key`),
    )
  })

  it('is not started before the new key has its roles, which are named', async () => {
    await assert.rejects(start(bothKeys), new RegExp(`the key ${nextAddress} cannot be used: it lacks OPERATOR on Batcher 0x.*FACILITATOR on Escrow`))
    await assert.rejects(
      start({ ...nextKeys, RELAYER_KEY_BASE_SEPOLIA_RETIRING: nextKey }),
      /RELAYER_KEY_BASE_SEPOLIA_RETIRING is RELAYER_KEY_BASE_SEPOLIA: only a former key retires/,
    )
  })

  describe('sends with the new key, and', () => {
    before(async () => {
      assert.equal(await changeRoles(devnet, 'grant', nextAddress), true)
      platform = await start(bothKeys)
      await until('it leads', async () => (await status()).leading)
    })
    after(() => platform.close())

    it('finishes with the former one what that had accepted', async () => {
      const { lane, retiring } = await status()
      assert.deepEqual([lane.address, retiring?.address, retiring?.drained], [nextAddress, laneAddress, false])

      await mint(unpaid.from, 3n)

      // it may have failed for want of the money before: then an operator repeats it, and the new key sends it
      await until('it has ended', async () => ['FINAL', 'FAILED'].includes(await stateOf(unpaid.draft)), 60)
      await until('nothing is left', async () => (await status()).retiring?.transactions === 0)
      assert.equal((await status()).retiring?.drained, false, 'it can be paid for some minutes more')
      await platform.advance(600)
      await until('it is drained', async () => (await status()).retiring?.drained)
    })

    it('locks with the former one what x402 has paid to its address, and returns it by its signature', async () => {
      const poster = Wallet.createRandom().address
      const gig = { chain, gigId: randomUUID(), poster, payee: wallet() } as const
      await mint(laneAddress, 1_000_000_003n)
      const lock = commands.escrowLockX402({ ...gig, amount: 1_000_000_000n, payTo: laneAddress })
      const refund = commands.escrowSettle({ ...gig, outcome: { kind: 'refund' } })
      const payBack = commands.treasuryPay({ chain, paymentId: randomUUID(), from: laneAddress, to: wallet(), amount: 3n, isReturn: true })
      assert.equal((await status()).retiring?.drained, false)

      for (const draft of [lock, refund, payBack]) await publish(draft)
      for (const draft of [lock, refund, payBack]) await isFinal(draft)

      assert.deepEqual(
        (await Promise.all([lock, refund, payBack].map(senderOf))).map(from => from.toLowerCase()),
        [laneAddress, nextAddress, nextAddress].map(address => address.toLowerCase()),
      )
      const data = contractInterface('USDC').encodeFunctionData('balanceOf', [poster])
      assert.equal(Number(await rpc.call('eth_call', [{ to: devnet.addresses.USDC, data }, 'latest'])), 1_000_000_000)
      await until('it is drained', async () => (await status()).retiring?.drained)
    })

    it('refuses to lock what came to an address without a key here', async () => {
      const gig = { chain, gigId: randomUUID(), poster: wallet(), payee: wallet(), amount: 1_000_000n } as const
      const outcomes: unknown[] = []
      await platform.bus.subscribe(
        { name: 'carapace.test', exchange: 'events', bindings: ['chain.command.escrow-lock-x402.failed.#'] },
        async event => {
          outcomes.push(event.data)
        },
      )

      await publish(commands.escrowLockX402({ ...gig, payTo: wallet() }))

      const failure = await until('it fails', () => outcomes[0])
      assert.match(JSON.stringify(failure), /only 0x.* can send this, and its key is not here/)
      assert.equal((failure as { terminal: boolean }).terminal, false)

      const late = commands.escrowLockX402({ ...gig, gigId: randomUUID(), payTo: wallet(), deadline: new Date(Date.now() - 1_000) })
      await publish(late)
      const end = await until('it fails', () => outcomes.find(one => (one as { opKey: string }).opKey === late.subject))
      const { code, terminal } = end as { code: string; terminal: boolean }
      assert.deepEqual([code, terminal], ['EXPIRED', true])
    })
  })

  describe('afterwards', () => {
    it('starts without the former key once that is drained', async () => {
      platform = await start(nextKeys)
      await until('it leads', async () => (await status()).leading)

      assert.deepEqual((await status()).retiring, null)
      assert.deepEqual((await status()).laneAddresses?.toSorted(), [laneAddress, nextAddress].sort())
      await platform.close()
    })
  })
})
