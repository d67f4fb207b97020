import type { Chain } from '@carapace/api'
import { type Player, type System, until } from '@carapace/testing'
import { Interface, Transaction } from 'ethers'

/** Those who act in one round, and what they had at its beginning: nobody else moves their money. */
export interface Participants {
  chain: Chain
  poster: Player
  worker: Player
  bonder: Player
  /** Has a custodial wallet that is paid into, and pays from it. */
  saver: Player & { depositAddress: string }
  payee: Player & { depositAddress: string }
  before: Record<'poster' | 'worker' | 'bonder', bigint>
  /** What players sent to the chain by themselves. */
  sent: Sent[]
}

export interface Sent {
  hash: string
  raw: string
}

/** New players with money, made while all is quiet. */
export async function newParticipants(system: System, chain: Chain): Promise<Participants> {
  const [poster, worker, bonder, saver, payee] = await Promise.all([
    system.newPlayer({ chain, usdc: 5_000, prefix: 'poster' }),
    system.newPlayer({ chain, prefix: 'worker' }),
    system.newPlayer({ chain, usdc: 500, prefix: 'bonder' }),
    system.newPlayer({ chain, usdc: 500, prefix: 'saver' }).then(player => withTreasury(system, player)),
    system.newPlayer({ chain, prefix: 'payee' }).then(player => withTreasury(system, player)),
  ])
  const holds = (player: Player) => system.usdcOf(chain, player.wallet.address)
  const before = { poster: await holds(poster), worker: await holds(worker), bonder: await holds(bonder) }
  return { chain, poster, worker, bonder, saver, payee, before, sent: [] }
}

const erc20 = new Interface(['function transfer(address,uint256)'])

async function withTreasury(system: System, player: Player): Promise<Player & { depositAddress: string }> {
  const { depositAddress } = await until('there is a wallet', () => system.post(`/api/agents/${player.id}/treasury/fund`, {}, player.headers))
  return { ...player, depositAddress }
}

/** Signs a transfer of the saver's own USDC. The bytes are sent by `broadcast`, as often as needed. */
export async function signTransfer(system: System, participants: Participants, amount: bigint): Promise<Sent> {
  const { provider, contracts, chainId, gasless } = system.networks[participants.chain]
  const { wallet, depositAddress } = participants.saver
  const data = erc20.encodeFunctionData('transfer', [depositAddress, amount])
  const known = await provider.getTransactionCount(wallet.address)
  const own = participants.sent.filter(({ raw }) => Transaction.from(raw).nonce >= known).length
  const gasPrice = gasless ? 0n : 20_000_000_000n
  const raw = await wallet.signTransaction({ to: contracts.usdc, data, nonce: known + own, chainId, gasLimit: 100_000, gasPrice, type: 0 })
  const sent = { raw, hash: Transaction.from(raw).hash! }
  participants.sent.push(sent)
  return sent
}

/** Hands the node what is in no block, as a wallet does. @returns whether all of it is in a block */
export async function broadcast(system: System, { chain, sent }: Participants): Promise<boolean> {
  const { provider } = system.networks[chain]
  let isThere = true
  for (const { hash, raw } of sent) {
    if (await provider.getTransactionReceipt(hash)) continue
    isThere = false
    // "already known" is as good as accepted.
    await provider.send('eth_sendRawTransaction', [raw]).catch(() => undefined)
  }
  return isThere
}
