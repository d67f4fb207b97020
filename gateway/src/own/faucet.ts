import { type BodyOf, type Chain, chainRelayerApi, type gatewayApi, type PublishedOutcome, refuse, usd } from '@carapace/api'
import { commands, operationParts, toChecksum } from '@carapace/chain'
import { onOutcomes, type Platform, reply, type Subscription, unlessPassing } from '@carapace/service'
import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import type { NetworkSource } from '../networks.ts'

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

const gasWei = 10n ** 16n
const waitMs = 10_000

export const faucetStore = (db: Database): FaucetStore => aggregateStore<Grant>(db, { collection: 'grants', resource: 'grant' })

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
  // the money is there: a read that fails refuses nothing
  const balance = await unlessPassing(peers.call('chain-relayer', chainRelayerApi.internal.chainBalance, { params: { chain, wallet: to } }))
  return balance ? { ...answer, balance: usd(BigInt(balance.usdc)) } : reply(202, { ...answer, balance: 0 })
}

/** What follows the two commands of a grant. */
export const faucetEvents = (faucets: FaucetStore): Subscription[] =>
  onOutcomes({ 'faucet.mint': each(faucets, 'money'), 'faucet.gas': each(faucets, 'gas') })

type Followed = PublishedOutcome<'submitted' | 'confirmed' | 'failed'>

function each(faucets: FaucetStore, part: 'money' | 'gas') {
  const settle = async (outcome: Followed): Promise<void> => {
    const [, id] = operationParts(outcome.opKey)
    if (!(await faucets.get(id))) return
    await faucets.change(id, grant => {
      const before = grant[part]
      const after = before && settled(before, outcome)
      return after && after !== before ? { state: { ...grant, [part]: after }, events: [] } : undefined
    })
  }
  return { submitted: settle, confirmed: settle, failed: settle }
}

/** A confirmation counts always, everything else while the part is open. */
function settled(part: Outcome, outcome: Followed): Outcome {
  if (outcome.is === 'confirmed') return { status: 'confirmed', txHash: outcome.txHash }
  if (part.status !== 'pending') return part
  return outcome.is === 'submitted' ? { status: 'pending', txHash: outcome.txHash } : { status: 'failed', error: outcome.message }
}

const ended = (grant: Grant): Grant | undefined => ([grant.money, grant.gas].every(part => part?.status !== 'pending') ? grant : undefined)
const hashOf = (part: Outcome | undefined): string | null => (part && 'txHash' in part ? part.txHash : null)
