import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { chainRelayerApi, doctorReport, type ServiceName, treasuryApi } from '@carapace/api'
import { commands, operationKey } from '@carapace/chain'
import { startGateway } from '@carapace/gateway'
import { type ChainPlatform, newWallet, type Player, published, startChainPlatform, until } from '@carapace/testing'
import { ZeroAddress } from 'ethers'
import { services } from '../../services.ts'
import { reorganise, reversibleBlocks, signedCall } from '../../testing/reorganise.ts'

const chain = 'BASE_SEPOLIA'
const price = 2_000_000n
/** Blocks between the transfers and what came before them, so that a reorganisation reverses nothing else. */
const apart = 6
/** More than finality, which is 2 blocks here. */
const depth = 4
const needed: readonly ServiceName[] = ['chain-relayer', 'identity', 'treasury']

/** Without escrow and domains nothing uses what has arrived: the test itself does, and so decides where each payment is. */
describe('transfers to the intake that the chain drops after they were final', function () {
  this.timeout(180_000)
  let platform: ChainPlatform
  let intake: string
  before(async () => {
    const some = services.filter(({ api }) => needed.includes(api.name as ServiceName))
    platform = await startChainPlatform({ services: some, startGateway, ...reversibleBlocks, env: { X402_PAY_TO_ADDRESS: newWallet() } })
    intake = (await peers().call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain } })).lane.address
  })
  after(() => platform?.end())

  const treasury = () => platform.service('treasury').platform
  const peers = () => treasury().peers
  const send = (method: string, params: unknown[]) => platform.networks[chain].provider.send(method, params)
  const mine = (blocks: number) => send('anvil_mine', [`0x${blocks.toString(16)}`])
  const receiptOf = (hash: string) => platform.networks[chain].provider.getTransactionReceipt(hash)

  interface Sent {
    payer: Player
    gigId: string
    raw: string
    hash: string
    block: number
    id: string
  }
  async function transferred(): Promise<Omit<Sent, 'id'>> {
    const payer = await platform.newPlayer({ prefix: 'payer' })
    await platform.faucet(payer.wallet.address, Number(price) / 1e6, chain)
    return { payer, gigId: randomUUID(), raw: '', hash: '', block: 0 }
  }
  async function include(sent: Omit<Sent, 'id'>): Promise<Omit<Sent, 'id'>> {
    const raw = await signedCall(platform, chain, sent.payer, platform.networks[chain].contracts.usdc, 'transfer', [intake, price])
    const hash: string = await send('eth_sendRawTransaction', [raw])
    const receipt = await until('it is in a block', () => receiptOf(hash))
    return { ...sent, raw, hash, block: receipt.blockNumber }
  }
  /** What the gateway does with the proof of a payer. */
  async function collect({ payer, gigId, hash }: Omit<Sent, 'id'>): Promise<string> {
    const { address } = payer.wallet
    const proof = { txHash: hash, nonce: `0x${randomBytes(32).toString('hex')}`, amount: String(Number(price) / 1e6), from: address, to: intake }
    const sent = { scheme: 'spec' as const, proof, issuedAt: 0, deadline: Date.now() * 2, agentWallet: address, claimedWallet: null }
    const fund = { service: 'escrow' as const, subject: gigId, chain, payer: address } as const
    const purchase = { route: 'POST /fund', price: String(price), payTo: intake, agentId: payer.id, buyer: payer.id, fund }
    return (await peers().call('treasury', treasuryApi.internal.collectX402, { body: { ...purchase, sent }, timeoutMs: 15_000 })).id
  }
  const hold = async ({ id, gigId }: Sent) => {
    const body = { key: operationKey('escrow.lock-x402', gigId), round: 1 }
    const isHeld = async () => (await peers().call('treasury', treasuryApi.internal.holdX402, { params: { id }, body })).status === 'held'
    await until('it is held', isHeld)
  }
  const spend = async ({ payer, gigId }: Sent) => {
    const lock = { gigId, poster: payer.wallet.address, payee: ZeroAddress, amount: price, round: 1, deadline: new Date(Date.now() + 600_000) }
    await platform.bus.publish([published(commands.escrowLockX402({ ...lock, chain }))])
  }
  interface Row {
    _id: string
    state: string
    fund: { isDropped?: boolean }
  }
  const rowsOf = async (all: readonly Sent[]) => {
    const rows = treasury().db.connection.collection<Row>('x402_payments')
    return Promise.all(all.map(async ({ id }) => (await rows.findOne({ _id: id }))!))
  }
  const are = (all: readonly Sent[], expected: readonly string[]) =>
    until(
      `they are ${expected}`,
      async () => {
        const rows = await rowsOf(all)
        return String(rows.map(({ state, fund }) => (fund.isDropped ? `${state} dropped` : state))) === String(expected)
      },
      60,
    )
  const assertBooks = () =>
    until(
      'treasury finds no fault in its books',
      async () => {
        const { checks } = await peers().call('treasury', doctorReport, { timeoutMs: 10_000 })
        const wrong = checks.filter(({ name, count }) => count > 0 && ['ledger', 'x402', 'payments', 'clearing'].includes(name))
        assert.deepEqual(wrong, [])
        return true
      },
      60,
    )

  it('are no money where they were settled or held, and borne by the platform where they were spent; until they come back', async () => {
    // the lane has money of its own, with which the lock is made again
    await platform.faucet(intake, Number(price) / 1e6, chain)
    const paying = [await transferred(), await transferred(), await transferred()]
    await mine(apart)
    const included = []
    for (const one of paying) included.push(await include(one))
    await mine(depth)
    const sent: Sent[] = []
    // the lane may see the last blocks late: until then the same proof is to be sent again
    for (const one of included) sent.push({ ...one, id: await until('it is collected', () => collect(one)) })
    const [, held, spent] = sent
    await hold(held!)
    await hold(spent!)
    await spend(spent!)
    await are(sent, ['settled', 'held', 'spent'])
    await mine(depth)

    await reorganise(platform, chain, included[0]!.block)
    await mine(depth)

    await are(sent, ['failed', 'failed', 'spent dropped'])
    assert.deepEqual(await Promise.all(sent.map(({ payer }) => platform.usdcOf(chain, payer.wallet.address))), [price, price, price])
    await assertBooks()
    for (const { raw } of sent) await send('eth_sendRawTransaction', [raw])
    await until('they are in blocks again', async () =>
      (await Promise.all(sent.map(({ hash }) => receiptOf(hash)))).every(receipt => receipt !== null),
    )
    await mine(depth)

    await are(sent, ['settled', 'held', 'spent'])
    assert.equal(await platform.usdcOf(chain, intake), 3n * price)
    await assertBooks()
  })
})
