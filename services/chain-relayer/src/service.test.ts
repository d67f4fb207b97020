import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chainRelayerApi, type Draft } from '@carapace/api'
import { commands } from '@carapace/chain'
import { published, startPlatform, type TestPlatform, until } from '@carapace/testing'
import { chainRelayer } from './index.ts'
import { laneAddress, laneKey } from './testing/keys.ts'
import { type TestDevnet, testDevnet, wallet } from './testing/kit.ts'

describe('the chain-relayer service', () => {
  let devnet: TestDevnet
  let folder: string
  let platform: TestPlatform
  const env = async () => {
    const addresses = path.join(folder, 'addresses.json')
    await writeFile(addresses, JSON.stringify({ addresses: devnet.addresses, startBlock: 0 }))
    return {
      BASE_SEPOLIA_RPC_URL: devnet.rpcUrl,
      BASE_SEPOLIA_PUBLIC_RPC_URL: 'https://node.example/base',
      BASE_SEPOLIA_ADDRESSES: addresses,
      RELAYER_KEY_BASE_SEPOLIA: laneKey,
      CUSTODY_SEED_FILE: path.join(folder, 'custody.json'),
      CUSTODY_PASSPHRASE: 'a passphrase for tests',
    }
  }

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-relayer-'))
    devnet = await testDevnet()
    platform = await startPlatform([chainRelayer], { env: await env() })
  })
  after(async () => {
    await platform.close()
    await devnet.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('serves commands of the bus and shows them to the operator', async () => {
    const requestId = randomUUID()
    const to = wallet()
    const draft = commands.faucetMint({ chain: 'BASE_SEPOLIA', requestId, to, amount: 7_000_000n })

    await until('the lane listens', async () => {
      await platform.bus.publish([published(draft)])
      return true
    })

    const operation = await until('final', async () => {
      const answer = await platform.call('get', `/api/admin/chain-queue/${encodeURIComponent(draft.subject)}`, { headers: adminHeaders })
      return answer.body.state === 'FINAL' && answer.body
    })
    assert.equal(operation.kind, 'faucet.mint')
    assert.equal(operation.transaction.attempts.length, 1)
  })

  it('shows clients the address of a node that they reach', async () => {
    const { networks } = await peers().call('chain-relayer', chainRelayerApi.internal.chainNetworks)

    assert.deepEqual(
      networks.map(({ chain, rpcUrl }) => [chain, rpcUrl]),
      [['BASE_SEPOLIA', 'https://node.example/base']],
    )
  })

  it('answers reads of other services from the newest block', async () => {
    const owner = randomUUID()
    const { custodyWallet, chainBalance, chainBlocks, chainStatus, chainRead, chainReads, chainOwnerOf } = chainRelayerApi.internal
    const { address } = await peers().call('chain-relayer', custodyWallet, { body: { owner } })
    const again = await peers().call('chain-relayer', custodyWallet, { body: { owner } })
    const chain = 'BASE_SEPOLIA'

    assert.equal(again.address, address)
    assert.equal(again.created, false)
    const balance = await peers().call('chain-relayer', chainBalance, { params: { chain, wallet: address } })
    assert.equal(balance.usdc, '0')
    const status = await peers().call('chain-relayer', chainStatus, { params: { chain } })
    assert.equal(status.lane.address, laneAddress)
    assert.equal(status.lane.nonceGap, 0)
    const { blocks } = await peers().call('chain-relayer', chainBlocks, { params: { chain } })
    assert.deepEqual(
      blocks.map(({ number }) => blocks[0]!.number - number),
      [0, 1, 2, 3, 4],
    )
    assert.ok(blocks[0]!.number >= status.head && blocks.every(({ transactions }) => transactions >= 0))
    const view = await peers().call('chain-relayer', chainRead, { params: { chain }, body: { contract: 'Escrow', fn: 'tvlCapacity', args: [] } })
    assert.deepEqual(view.result, ['500000000000'])
    const calls = Array.from({ length: 150 }, () => [wallet()])
    const many = await peers().call('chain-relayer', chainReads, {
      params: { chain },
      body: { contract: 'Bond', fn: 'getAccount', calls, isFinal: true },
    })
    assert.deepEqual(
      many.results,
      calls.map(() => [{ free: '0', locked: '0' }]),
    )
    const { head } = await peers().call('chain-relayer', chainStatus, { params: { chain } })
    assert.ok(many.blockNumber < head)
    const badCall = { contract: 'Bond', fn: 'getAccount', calls: [['nobody']] }
    const refused = peers().call('chain-relayer', chainReads, { params: { chain }, body: badCall })
    await assert.rejects(refused, { code: 'VALIDATION_ERROR' })
    const nobody = await peers().call('chain-relayer', chainOwnerOf, { params: { chain, contract: 'Card', tokenId: '404' } })
    assert.equal(nobody.owner, null)
  })

  it('pays out of a custodial wallet, which has no gas', async () => {
    const chain = 'BASE_SEPOLIA'
    const { custodyWallet } = chainRelayerApi.internal
    const { address: from } = await peers().call('chain-relayer', custodyWallet, { body: { owner: randomUUID() } })
    const fund = commands.faucetMint({ chain, requestId: randomUUID(), to: from, amount: 3_000_000n })
    await publish(fund)
    await until('funded', async () => (await stateOf(fund.subject)) === 'FINAL')
    const pay = commands.treasuryPay({ chain, paymentId: randomUUID(), from, to: wallet(), amount: 1_000_000n })
    await publish(pay)

    await until('paid', async () => (await stateOf(pay.subject)) === 'FINAL')
  })

  it('sends a failed payment again with a new deadline, but nothing whose owner has given the money back', async function () {
    // Missing money may be the result of a reorganisation: the lane waits for it.
    this.timeout(120_000)
    const chain = 'BASE_SEPOLIA'
    const { custodyWallet } = chainRelayerApi.internal
    const { address: from } = await peers().call('chain-relayer', custodyWallet, { body: { owner: randomUUID() } })
    const deadline = new Date(Date.now() + 180_000)
    const pay = commands.treasuryPay({ chain, paymentId: randomUUID(), from, to: wallet(), amount: 1_000_000n, deadline })
    const source = { kind: 'allowance' as const }
    const lock = commands.escrowLock({ chain, gigId: randomUUID(), poster: wallet(), payee: wallet(), amount: 5_000_000n, source, deadline })
    const claim = commands.rewardPay({ chain, claimId: randomUUID(), to: wallet(), amount: 1_000_000n })
    for (const draft of [pay, lock, claim]) await publish(draft)
    for (const { subject } of [pay, lock, claim]) await until('failed', async () => (await stateOf(subject)) === 'FAILED', 90)
    const path = (draft: Draft) => `/api/admin/chain-queue/${encodeURIComponent(draft.subject)}`
    const retry = (draft: Draft) => platform.call('post', `${path(draft)}/retry`, { headers: adminHeaders })

    const answers = [await retry(pay), await retry(lock), await retry(claim)]

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      [
        [202, undefined],
        [409, 'INVALID_STATE'],
        [409, 'INVALID_STATE'],
      ],
    )
    const again = await until('the next round', async () => {
      const { body } = await platform.call('get', path(pay), { headers: adminHeaders })
      return body.round === 2 && body
    })
    assert.ok(again.deadline > deadline.getTime())
  })

  it('stores the custody seed encrypted and readable by its owner only', async () => {
    const { mode } = await stat(path.join(folder, 'custody.json'))
    assert.equal(mode & 0o777, 0o600)
  })

  const peers = () => platform.service('chain-relayer').platform.peers
  const publish = (draft: Draft) => platform.bus.publish([published(draft)])
  const stateOf = async (opKey: string) =>
    (await platform.call('get', `/api/admin/chain-queue/${encodeURIComponent(opKey)}`, { headers: adminHeaders })).body.state
})

const adminHeaders = { 'x-admin-wallet': laneAddress }
