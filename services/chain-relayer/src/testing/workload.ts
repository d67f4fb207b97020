import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Draft } from '@carapace/api'
import { type Command, commandOf, commands, contractInterface, toChecksum } from '@carapace/chain'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import type { Rpc } from '../rpc/rpc.ts'
import { laneAddress, laneKey } from './keys.ts'
import type { Kit } from './kit.ts'

/**
 * Operations whose effects can be counted on chain, because nothing there refuses a second one: each pays one unit to an address of its
 * own. Half are plain transfers of native money, half token transfers that the Batcher may carry.
 */
export interface Work {
  draft: Draft
  to: string
  kind: 'native' | 'token'
}

/** `faucet.mint` without its guard: a token transfer by its sender, lane or Batcher. */
const unguarded: Command = {
  ...without(commandOf('faucet.mint') as Command),
  batchable: true,
  call: args => ({ contract: 'USDC', fn: 'transfer', args: [args.to, args.amount] }),
}
const bare = without(commandOf('faucet.gas') as Command)

/** A kind without its check for the effect, on every network. */
function without({ effect: _effect, only: _only, ...rest }: Command): Command {
  return rest
}

export const countableKinds = (kind: string): Command | undefined =>
  kind === 'faucet.mint' ? unguarded : kind === 'faucet.gas' ? bare : commandOf(kind)

/** Gives lanes and Batcher tokens to pay with, before the lane starts. */
export async function fundTokens(
  rpc: Rpc,
  addresses: { USDC: string; Batcher: string },
  chainId = 84532,
  lanes: readonly string[] = [laneAddress],
): Promise<void> {
  const abi = contractInterface('USDC')
  for (const holder of [...lanes, addresses.Batcher]) {
    await sendForeign(rpc, { to: addresses.USDC, data: abi.encodeFunctionData('mint', [holder, 10n ** 12n]), chainId })
  }
  await until('funded', async () => {
    const balance = await rpc.call('eth_call', [{ to: addresses.USDC, data: abi.encodeFunctionData('balanceOf', [addresses.Batcher]) }, 'latest'])
    return BigInt(String(balance)) > 0n
  })
}

interface Foreign {
  to: string
  data?: string
  value?: bigint
  chainId?: number
  nonce?: number
  gasPrice?: bigint
}

/** Sends with the lane's key, but not through the relayer. */
export async function sendForeign(rpc: Rpc, tx: Foreign): Promise<string> {
  const nonce = tx.nonce ?? Number(await rpc.call('eth_getTransactionCount', [laneAddress, 'pending']))
  return String(await rpc.call('eth_sendRawTransaction', [await signForeign({ ...tx, nonce })]))
}

export function signForeign(tx: Foreign & { nonce: number }): Promise<string> {
  const gasPrice = tx.gasPrice ?? (tx.chainId === 324705682 ? 0n : 10n ** 10n)
  return new Wallet(laneKey).signTransaction({ type: 0, chainId: 84532, gasLimit: 200_000n, ...tx, gasPrice })
}

let counter = 1n
const runBase = BigInt(`0x${randomUUID().replaceAll('-', '')}`) << 20n
const freshAddress = () => toChecksum(`0x${((runBase + counter++) % (1n << 160n)).toString(16).padStart(40, '0')}`)

export function makeWork(
  count: number,
  chain: 'BASE_SEPOLIA' | 'SKALE_TESTNET' = 'BASE_SEPOLIA',
  kinds: readonly Work['kind'][] = ['native', 'token'],
): Work[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length]!
    const to = freshAddress()
    const request = { chain, requestId: randomUUID(), to }
    const draft = kind === 'native' ? commands.faucetGas({ ...request, wei: 1n }) : commands.faucetMint({ ...request, amount: 1n })
    return { draft, to, kind }
  })
}

/** Waits until every operation is over in the relayer's records. */
export async function allOver(kit: Pick<Kit, 'db'>, work: readonly Work[], seconds = 30): Promise<void> {
  const keys = work.map(({ draft }) => draft.subject)
  await until(
    'all operations are over',
    async () => {
      const stored = await kit.db.ops.countDocuments({ _id: { $in: keys } })
      const open = await kit.db.ops.countDocuments({ _id: { $in: keys }, state: 'QUEUED' })
      if (open > 0 || stored < keys.length) throw new Error(`${open} open, ${stored} of ${keys.length} known`)
      return true
    },
    seconds,
  )
}

export async function effectOf(rpc: Rpc, addresses: { USDC: string }, { to, kind }: Work): Promise<bigint> {
  if (kind === 'native') return BigInt(String(await rpc.call('eth_getBalance', [to, 'latest'])))
  const data = contractInterface('USDC').encodeFunctionData('balanceOf', [to])
  return BigInt(String(await rpc.call('eth_call', [{ to: addresses.USDC, data }, 'latest'])))
}

/**
 * Each operation has exactly one effect on chain and was confirmed, or none and one terminal failure; never both, never two. The lane's
 * nonces have no gap and end where the chain's count does. The lane runs: what it has signed is awaited first, since a second effect, or
 * an operation of the lane's own such as its approval, may be in it.
 */
export async function assertExactlyOnce(kit: Pick<Kit, 'db' | 'rpc' | 'devnet' | 'of'>, work: readonly Work[], foreignNonces = 0): Promise<void> {
  await until('what was signed is mined', async () => {
    const open = await kit.db.txs.countDocuments({ nonce: { $ne: null }, state: { $in: ['SIGNED', 'ACCEPTED'] } })
    if (open > 0) throw new Error(`${open} transactions are open`)
    return true
  })
  for (const one of work) {
    const opKey = one.draft.subject
    const effects = await effectOf(kit.rpc, kit.devnet.addresses, one)
    const op = await kit.db.ops.findOne({ _id: opKey })
    await until(`events of ${opKey}`, () => kit.of(opKey, 'confirmed').length + kit.of(opKey, 'failed').length > 0)
    const ends = new Set(
      kit
        .of(opKey, 'failed')
        .filter(event => event.data.terminal)
        .map(event => event.id),
    )
    if (op?.state === 'CONFIRMED' || op?.state === 'FINAL') {
      assert.equal(effects, 1n, `${opKey} is ${op.state}`)
      assert.equal(ends.size, 0, `${opKey} was reported failed, too`)
    } else {
      assert.equal(effects, 0n, `${opKey} is ${op?.state}`)
      assert.equal(ends.size, 1, `${opKey} must be reported failed once`)
    }
  }
  for (const lane of await kit.db.txs.distinct('lane', { nonce: { $ne: null } })) await assertNoGap(kit, lane, foreignNonces)
}

async function assertNoGap(kit: Pick<Kit, 'db' | 'rpc'>, lane: string, foreignNonces: number): Promise<void> {
  const slots = await kit.db.txs
    .find({ lane, nonce: { $ne: null } })
    .sort({ nonce: 1 })
    .toArray()
  const nonces = slots.map(tx => tx.nonce!)
  const count = Number(await kit.rpc.call('eth_getTransactionCount', [lane.split(':').at(-1), 'latest']))
  assert.equal(nonces.at(-1)! + 1, count, 'the records end where the chain does')
  assert.equal(nonces.length, nonces.at(-1)! - nonces[0]! + 1 - foreignNonces, 'no nonce is missing')
}
