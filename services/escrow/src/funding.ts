import { type Authorization, type Chain, chainRelayerApi, type FundingOptions, Refusal, refuse, treasuryApi } from '@carapace/api'
import type { FundingSource } from '@carapace/chain'
import type { RequestContext } from '@carapace/service'
import type { Parts } from './parts.ts'
import { type Seen, shortfall } from './shortfall.ts'

/** Who pays, how much, and into which contract. */
export interface Need {
  agentId: string
  wallet: string
  chain: Chain
  /** micro-USDC */
  amount: bigint
  contract: 'escrow' | 'bond'
  authorization: Authorization | undefined
  /** False for an unsigned call that strangers could make: it draws on no wallet and learns no balance. */
  isProven: boolean
}

/** In plain mode that strangers can reach, allowance and custodial wallet ask for a signature (behaviour 1.6). */
export const isProven = ({ exposed, signedBy }: Pick<RequestContext, 'exposed' | 'signedBy'>): boolean => !exposed || signedBy !== undefined

export type Found =
  | { kind: 'authorization' | 'allowance'; from: string; source: FundingSource }
  /** Only the treasury knows whether limit and balance have room: it is asked when the record is made. */
  | { kind: 'treasury'; from: string }
  | { kind: 'none'; options: FundingOptions }

/** The first source that covers the whole amount: authorisation in the body, allowance, custodial wallet (behaviour 6.1). @throws SIGNATURE_REQUIRED */
export async function findSource(parts: Parts, need: Need): Promise<Found> {
  const { amount, wallet } = need
  const balance = await balanceOf(parts, need, wallet)
  const signed = signedSource(need)
  if (signed && balance >= amount) return { kind: 'authorization', from: wallet, source: signed }
  const seen = { balance, ...(await look(parts, need)) }
  const drawn = <T extends Found>(found: T): T => (need.isProven ? found : refuse('SIGNATURE_REQUIRED'))
  if (balance >= amount && seen.allowance >= amount) return drawn({ kind: 'allowance', from: wallet, source: { kind: 'allowance' } })
  const { custodial } = seen
  if (custodial && seen.custodialBalance >= amount) return drawn({ kind: 'treasury', from: custodial })
  return { kind: 'none', options: await shortfall(parts, need, seen) }
}

/** The same answer once treasury has refused what looked as if it were covered. */
export async function optionsNow(parts: Parts, need: Need): Promise<FundingOptions> {
  const balance = await balanceOf(parts, need, need.wallet)
  return shortfall(parts, need, { balance, ...(await look(parts, need)) })
}

const balanceOf = (parts: Parts, { chain }: Need, owner: string): Promise<bigint> => parts.usdcNow(`${chain}/${owner}`)

async function look(parts: Parts, need: Need): Promise<Omit<Seen, 'balance'>> {
  const { chain, wallet, agentId, contract } = need
  const contracts = await parts.networks.contracts(chain)
  const spender = contracts[contract]
  const allowed = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainAllowance, { params: { chain, owner: wallet, spender } })
  const custodial = await parts.custodial.of(agentId)
  const custodialBalance = custodial ? await balanceOf(parts, need, custodial) : 0n
  return { usdc: contracts.usdc, spender, allowance: BigInt(allowed.usdc), custodial, custodialBalance }
}

/** The authorisation of the body as a source; one that has run out covers nothing. */
function signedSource({ authorization, wallet, amount }: Need): FundingSource | undefined {
  if (!authorization) return undefined
  const now = Math.floor(Date.now() / 1000)
  if (authorization.type === 'eip3009') {
    const { validAfter, validBefore, signature } = authorization
    if (validBefore <= now || validAfter > now) return undefined
    return { kind: 'authorization', from: wallet, validAfter: BigInt(validAfter), validBefore: BigInt(validBefore), signature }
  }
  const { deadline, signature } = authorization
  return deadline <= now ? undefined : { kind: 'permit', value: amount, deadline: BigInt(deadline), signature }
}

const uncovered = ['NO_TREASURY_WALLET', 'INSUFFICIENT_BALANCE', 'DAILY_LIMIT_REACHED']

/**
 * Sets custodial money aside for a command. Undefined = the wallet does not cover it or the reservation was given back before: nothing is reserved.
 * @throws DEPENDENCY_UNAVAILABLE when treasury did not answer: then it may be reserved, so ask again with the same key and round
 */
export async function reserveCustodial(
  { peers }: Pick<Parts, 'peers'>,
  { key, round, agentId, amount, chain, purpose }: { key: string; round: number; agentId: string; amount: bigint; chain: Chain; purpose: string },
): Promise<FundingSource | undefined> {
  try {
    const body = { owner: 'escrow' as const, key, round, agentId, amount: String(amount), chain, purpose }
    const { address, status } = await peers.call('treasury', treasuryApi.internal.reserveFunds, { body })
    return status === 'voided' ? undefined : { kind: 'custodial', from: address }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (uncovered.includes(error.code)) return undefined
    if (error.status >= 500) refuse('DEPENDENCY_UNAVAILABLE', { service: 'treasury' })
    throw error
  }
}
