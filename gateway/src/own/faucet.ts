import {
  type BodyOf,
  type Chain,
  chainCommandConfirmed,
  chainCommandFailed,
  chainCommandSubmitted,
  chainRelayerApi,
  type gatewayApi,
  refuse,
  usd,
} from '@carapace/api'
import { commands, operationParts, toChecksum } from '@carapace/chain'
import { on, type Platform, reply, type Subscription } from '@carapace/service'
import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import { Schema } from 'mongoose'
import type { NetworkSource } from './networks.ts'

type Outcome = { status: 'pending'; txHash: string | null } | { status: 'confirmed'; txHash: string } | { status: 'failed'; error: string }

/** One request for test money; its id is the operation's, so that a repeated request mints once. */
interface Grant {
  id: string
  wallet: string
  amount: bigint
  chain: Chain
  money: Outcome
  /** Absent on networks without gas. */
  gas?: Outcome
}
export type FaucetStore = AggregateStore<Grant>

const schema = new Schema<Grant>({ wallet: String, amount: BigInt, chain: String, money: {}, gas: {} })
const gasWei = 10n ** 16n
const waitMs = 10_000

export const faucetStore = (db: Database): FaucetStore => aggregateStore<Grant>(db, { collection: 'grants', resource: 'grant', schema })

/** Mints test USDC and gives gas, waits for both up to 10 s. @throws CHAIN_UNAVAILABLE when the network refuses for good */
export async function useFaucet(
  { faucets, wait, networks, peers }: Platform & { faucets: FaucetStore; networks: NetworkSource },
  requestId: string,
  { walletAddress, amount, chain }: BodyOf<typeof gatewayApi.endpoints.useFaucet>,
) {
  const to = toChecksum(walletAddress)
  const gasless = (await networks()).find(network => network.chain === chain)?.gasless ?? true
  const pending: Outcome = { status: 'pending', txHash: null }
  const drafts = [commands.faucetMint({ chain, requestId, to, amount })]
  if (!gasless) drafts.push(commands.faucetGas({ chain, requestId, to, wei: gasWei }))
  const grant: Grant = { id: requestId, wallet: to, amount, chain, money: pending, ...(gasless ? {} : { gas: pending }) }
  if (!(await faucets.get(requestId))) await faucets.create(grant, drafts, { cause: requestId })

  const done = await wait('grants', requestId, async () => ended(await faucets.need(requestId)), waitMs)
  const now = done ?? (await faucets.need(requestId))
  for (const part of [now.money, now.gas]) if (part?.status === 'failed') refuse('CHAIN_UNAVAILABLE', { reason: part.error })
  const answer = { txHash: hashOf(now.money), gasTxHash: hashOf(now.gas) }
  if (!done) return reply(202, { ...answer, balance: 0 })
  const balance = await peers.call('chain-relayer', chainRelayerApi.internal.chainBalance, { params: { chain, wallet: to } })
  return { ...answer, balance: usd(BigInt(balance.usdc)) }
}

/** Outcomes of the two commands, by operation key. */
export const faucetEvents = (faucets: FaucetStore): Subscription[] => [
  on(chainCommandSubmitted, ({ opKey, txHash }) =>
    settle(faucets, opKey, part => (part.status === 'pending' ? { status: 'pending', txHash } : part)),
  ),
  on(chainCommandConfirmed, ({ opKey, txHash }) => settle(faucets, opKey, () => ({ status: 'confirmed', txHash }))),
  on(chainCommandFailed, ({ opKey, message, terminal }) =>
    settle(faucets, opKey, part => (terminal && part.status === 'pending' ? { status: 'failed', error: message } : part)),
  ),
]

const kinds = { 'faucet.mint': 'money', 'faucet.gas': 'gas' } as const

async function settle(faucets: FaucetStore, opKey: string, next: (part: Outcome) => Outcome): Promise<void> {
  const [kind, id] = operationParts(opKey)
  if (!Object.hasOwn(kinds, kind) || !(await faucets.get(id))) return
  const part = kinds[kind as keyof typeof kinds]
  await faucets.change(id, grant => {
    const before = grant[part]
    const after = before && next(before)
    return after && after !== before ? { state: { ...grant, [part]: after }, events: [] } : undefined
  })
}

const ended = (grant: Grant): Grant | undefined => ([grant.money, grant.gas].every(part => part?.status !== 'pending') ? grant : undefined)
const hashOf = (part: Outcome | undefined): string | null => (part && 'txHash' in part ? part.txHash : null)
