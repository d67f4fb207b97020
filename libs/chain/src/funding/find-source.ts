import {
  type AnyEndpoint,
  type Authorization,
  type BodyInputOf,
  type Chain,
  chainRelayerApi,
  type FundingOptions,
  type QueryInputOf,
  Refusal,
  type ResponseOf,
  refuse,
  treasuryApi,
} from '@carapace/api'
import type { FundingSource } from '../authorization.ts'
import type { NetworkReader } from '../network-reader.ts'
import { type Found as Holdings, shortfall } from './shortfall.ts'

/** What the search needs of its caller. */
export interface FundingParts {
  peers: {
    call<E extends AnyEndpoint>(
      service: 'chain-relayer' | 'treasury',
      endpoint: E,
      args?: { params?: Record<string, string>; query?: QueryInputOf<E>; body?: BodyInputOf<E> },
    ): Promise<ResponseOf<E>>
  }
  networks: NetworkReader
  /** Custodial addresses by agent. */
  custodial: { of(agentId: string): Promise<string | undefined> }
  /** What an address holds, micro-USDC; named `<chain>/<address>`. @throws DEPENDENCY_UNAVAILABLE, CHAIN_UNAVAILABLE */
  usdcNow(holder: string): Promise<bigint>
  config: { X402_PAY_TO_ADDRESS?: string | undefined }
  log: { warn(details: object, message: string): void }
}

/** Who pays, how much, and into which contract. */
export interface FundingNeed {
  agentId: string
  wallet: string
  chain: Chain
  /** micro-USDC */
  amount: bigint
  contract: 'escrow' | 'bond' | 'commerce' | 'domains'
  /** Of a record that was opened on another contract of this name than the present one. */
  contractAddress?: string
  /** Path of the call by which x402 can pay it; undefined: none. */
  x402At?: string | undefined
  authorization: Authorization | undefined
  /** The first source is the allowance: authorisations in the body are not offered (commerce on SKALE_TESTNET). */
  fromAllowance?: boolean
  /** False for an unsigned call that strangers could make: it draws on no wallet and reveals no balance. */
  isProven: boolean
}

/** In plain mode that strangers can reach, allowance and custodial wallet need a signature (behaviour 1.6). */
export const isProven = ({ exposed, signedBy }: { exposed?: boolean | undefined; signedBy?: string | undefined }): boolean =>
  !exposed || signedBy !== undefined

export type FundingFound =
  | { kind: 'authorization' | 'allowance'; from: string; source: FundingSource }
  /** Only the treasury knows whether limit and balance have room: it is queried when the record is made. */
  | { kind: 'treasury'; from: string }
  | { kind: 'none'; options: FundingOptions }

/** The first source that covers the whole amount: authorisation in the body, allowance, custodial wallet (behaviour 6.1). @throws SIGNATURE_REQUIRED */
export async function findSource(parts: FundingParts, need: FundingNeed): Promise<FundingFound> {
  const { amount, wallet } = need
  const balance = await balanceOf(parts, need, wallet)
  const signed = signedSource(need)
  if (signed && balance >= amount) return { kind: 'authorization', from: wallet, source: signed }
  const found = { balance, ...(await readAllowance(parts, need)) }
  const drawn = <T extends FundingFound>(source: T): T => (need.isProven ? source : refuse('SIGNATURE_REQUIRED'))
  if (balance >= amount && found.allowance >= amount) return drawn({ kind: 'allowance', from: wallet, source: { kind: 'allowance' } })
  const { custodial } = found
  if (custodial && found.custodialBalance >= amount) return drawn({ kind: 'treasury', from: custodial })
  return { kind: 'none', options: await shortfall(parts, need, found) }
}

/** The same answer once treasury has refused what seemed to be covered. */
export async function optionsNow(parts: FundingParts, need: FundingNeed): Promise<FundingOptions> {
  const balance = await balanceOf(parts, need, need.wallet)
  return shortfall(parts, need, { balance, ...(await readAllowance(parts, need)) })
}

const balanceOf = (parts: FundingParts, { chain }: FundingNeed, owner: string): Promise<bigint> => parts.usdcNow(`${chain}/${owner}`)

async function readAllowance(parts: FundingParts, need: FundingNeed): Promise<Omit<Holdings, 'balance'>> {
  const { chain, wallet, agentId, contract } = need
  const contracts = await parts.networks.contracts(chain)
  const spender = need.contractAddress ?? contracts[contract]
  const allowed = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainAllowance, { params: { chain, owner: wallet, spender } })
  const custodial = await parts.custodial.of(agentId)
  const custodialBalance = custodial ? await balanceOf(parts, need, custodial) : 0n
  return { usdc: contracts.usdc, spender, allowance: BigInt(allowed.usdc), custodial, custodialBalance }
}

/** The authorisation of the body as a source; one that has expired covers nothing. */
function signedSource({ authorization, wallet, amount, fromAllowance }: FundingNeed): FundingSource | undefined {
  if (!authorization || fromAllowance) return undefined
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

interface CustodialWish {
  owner: 'escrow' | 'commerce' | 'domains'
  /** Operation key and round of the command that spends it. */
  key: string
  round: number
  agentId: string
  /** micro-USDC */
  amount: bigint
  chain: Chain
  purpose: string
}

/**
 * Sets custodial money aside for a command. Undefined = the wallet does not cover it or the reservation was given back before: nothing is reserved.
 * @throws DEPENDENCY_UNAVAILABLE when treasury did not answer: then it may be reserved, so repeat with the same key and round
 */
export async function reserveCustodial(
  { peers }: Pick<FundingParts, 'peers'>,
  { amount, ...wish }: CustodialWish,
): Promise<FundingSource | undefined> {
  try {
    const body = { ...wish, amount: String(amount) }
    const { address, status } = await peers.call('treasury', treasuryApi.internal.reserveFunds, { body })
    return status === 'voided' ? undefined : { kind: 'custodial', from: address }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (uncovered.includes(error.code)) return undefined
    if (error.status >= 500) refuse('DEPENDENCY_UNAVAILABLE', { service: 'treasury' })
    throw error
  }
}
