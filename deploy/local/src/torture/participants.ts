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
  /** Want the same names. */
  buyers: [Player, Player]
  /** Pays for reads by authorisation. */
  reader: Player
  /** Pays for reads by transfers of its own. */
  sender: Player
  /** Address that reads are paid to. */
  income: string
  before: Record<'poster' | 'worker' | 'bonder' | 'buyers' | 'readers' | 'income', bigint>
  /** What players sent to the chain by themselves. */
  sent: Sent[]
  /** First nonce of `sent`, by address: a wallet counts on by itself, also where the chain has just lost some. */
  firstNonces: ReadonlyMap<string, number>
}

export interface Sent {
  hash: string
  raw: string
}

/** New players with money, made while all is quiet. */
export async function newParticipants(system: System, chain: Chain): Promise<Participants> {
  const [poster, worker, bonder, saver, payee, reader, sender, ...buyers] = await Promise.all([
    system.newPlayer({ chain, usdc: 5_000, prefix: 'poster' }),
    system.newPlayer({ chain, prefix: 'worker' }),
    system.newPlayer({ chain, usdc: 500, prefix: 'bonder' }),
    system.newPlayer({ chain, usdc: 500, prefix: 'saver' }).then(player => withTreasury(system, player)),
    system.newPlayer({ chain, prefix: 'payee' }).then(player => withTreasury(system, player)),
    system.newPlayer({ chain, usdc: 10, prefix: 'reader' }),
    system.newPlayer({ chain, usdc: 10, prefix: 'sender' }),
    system.newPlayer({ chain, usdc: 1_000, prefix: 'buyer' }),
    system.newPlayer({ chain, usdc: 1_000, prefix: 'buyer' }),
  ])
  const holds = (player: Player) => system.usdcOf(chain, player.wallet.address)
  const ofBuyers = (await holds(buyers[0])) + (await holds(buyers[1]))
  const ofReaders = (await holds(reader)) + (await holds(sender))
  const { body } = await system.call('GET', `/api/reputation/check-eligibility?wallet=${reader.wallet.address}`)
  const income: string = body.payTo
  const { provider } = system.networks[chain]
  const nonceOf = async ({ wallet: { address } }: Player) => [address, await provider.getTransactionCount(address)] as const
  const firstNonces = new Map(await Promise.all([saver, sender].map(nonceOf)))
  const before = {
    poster: await holds(poster),
    worker: await holds(worker),
    bonder: await holds(bonder),
    buyers: ofBuyers,
    readers: ofReaders,
    income: await system.usdcOf(chain, income),
  }
  return { chain, poster, worker, bonder, saver, payee, reader, sender, income, buyers, before, sent: [], firstNonces }
}

const erc20 = new Interface(['function transfer(address,uint256)'])

async function withTreasury(system: System, player: Player): Promise<Player & { depositAddress: string }> {
  const { depositAddress } = await until('there is a wallet', () => system.post(`/api/agents/${player.id}/treasury/fund`, {}, player.headers))
  return { ...player, depositAddress }
}

/** Signs a transfer of the saver's own USDC. The bytes are sent by `broadcast`, as often as needed. */
export function signTransfer(system: System, participants: Participants, amount: bigint): Promise<Sent> {
  const { wallet, depositAddress } = participants.saver
  return signUsdc(system, participants, wallet, erc20.encodeFunctionData('transfer', [depositAddress, amount]))
}

/** Signs a call of the token by a player. The bytes are sent by `broadcast`, as often as needed. */
export function signUsdc(system: System, participants: Participants, wallet: Player['wallet'], data: string): Promise<Sent> {
  return signCall(system, participants, wallet, { to: system.networks[participants.chain].contracts.usdc, data, gasLimit: 100_000 })
}

/** Signs a call of any contract by a player whose first nonce is known. The bytes are sent by `broadcast`, as often as needed. */
export async function signCall(
  system: System,
  participants: Participants,
  wallet: Player['wallet'],
  call: { to: string; data: string; gasLimit: number },
): Promise<Sent> {
  const { chainId, gasless } = system.networks[participants.chain]
  const own = participants.sent.filter(({ raw }) => Transaction.from(raw).from === wallet.address).length
  const nonce = participants.firstNonces.get(wallet.address)! + own
  const gasPrice = gasless ? 0n : 20_000_000_000n
  const raw = await wallet.signTransaction({ ...call, nonce, chainId, gasPrice, type: 0 })
  const sent = { raw, hash: Transaction.from(raw).hash! }
  participants.sent.push(sent)
  return sent
}

/** Hands the node what is in no block, as a wallet does. @throws Error naming what is in none, with what the node says of it */
export async function broadcast(system: System, { chain, sent }: Participants): Promise<true> {
  const { provider } = system.networks[chain]
  const missing: string[] = []
  for (const { hash, raw } of sent) {
    if (await provider.getTransactionReceipt(hash)) continue
    // "already known" is as good as accepted.
    const answer = await provider.send('eth_sendRawTransaction', [raw]).catch((error: Error) => error.message)
    const { from, nonce } = Transaction.from(raw)
    missing.push(`${hash} (nonce ${nonce} of ${from}): ${answer}`)
  }
  if (missing.length > 0) throw new Error(`in no block: ${missing.join('; ')}`)
  return true
}
