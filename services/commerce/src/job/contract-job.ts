import { type Chain, chainRelayerApi } from '@carapace/api'
import type { Parts } from '../parts.ts'
import { contractOf } from './bound-contract.ts'
import { type Job, keyOf } from './job.ts'
import type { Payment } from './with-payment.ts'

/** A job as the contract has it now. */
export interface ContractJob {
  client: string
  /** Null until there is one. */
  provider: string | null
  evaluator: string
  description: string
  /** micro-USDC */
  budget: bigint
  expiredAt: Date
  status: 'Open' | 'Funded' | 'Submitted' | 'Completed' | 'Rejected' | 'Expired'
  /** What is paid in, and by whom; null once it has left. */
  deposit: Payment | null
  isDisputed: boolean
}

const statuses = ['Open', 'Funded', 'Submitted', 'Completed', 'Rejected', 'Expired'] as const
const noAddress = /^0x0{40}$/

/** A client may name any number, as "never" or for nothing: what a record can hold of it. All of it is far from what can be paid, or will pass. */
const mostBudget = 2n ** 63n - 1n
const endOfTime = BigInt(Date.UTC(9999, 11, 31))
const lower = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/**
 * @param key as `keyOf` makes it
 * @param at address of the contract
 * @returns null where the contract has no such job: a reorganisation may have removed its creation
 * @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
export async function readContractJob({ peers }: Pick<Parts, 'peers'>, chain: Chain, key: string, at: string): Promise<ContractJob | null> {
  const read = async (fn: string) => {
    const body = { contract: 'Commerce', fn, args: [key], at }
    return (await peers.call('chain-relayer', chainRelayerApi.internal.chainRead, { params: { chain }, body })).result[0]
  }
  // the views of a job revert where there is none
  if (String(await read('jobOf')) === '0') return null
  const [job, deposit, isDisputed] = await Promise.all([read('jobByKey'), read('depositOf'), read('isDisputed')])
  const { client, provider, evaluator, description, budget, expiredAt, status } = job as Record<Read, string>
  return {
    ...{ client, evaluator, description },
    provider: noAddress.test(provider) ? null : provider,
    budget: lower(BigInt(budget), mostBudget),
    expiredAt: new Date(Number(lower(BigInt(expiredAt) * 1_000n, endOfTime))),
    status: statuses[Number(status)]!,
    deposit: depositOf(deposit),
    isDisputed: isDisputed === true,
  }
}

const depositOf = (read: unknown): Payment | null => {
  const { payer, amount } = read as Record<keyof Payment, string>
  return BigInt(amount) === 0n ? null : { payer, amount: BigInt(amount) }
}

/** What is paid in for a job now; null when nothing is. @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE */
export async function depositNow(parts: Pick<Parts, 'peers' | 'networks'>, job: Job): Promise<Payment | null> {
  const body = { contract: 'Commerce', fn: 'depositOf', args: [keyOf(job)], at: await contractOf(parts, job) }
  const { result } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainRead, { params: { chain: job.chain }, body })
  return depositOf(result[0])
}

/** The number that the contract has for a job now; '0' when it has none. @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE */
export async function numberNow(parts: Pick<Parts, 'peers' | 'networks'>, job: Job): Promise<string> {
  const body = { contract: 'Commerce', fn: 'jobOf', args: [keyOf(job)], at: await contractOf(parts, job) }
  const { result } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainRead, { params: { chain: job.chain }, body })
  return String(result[0])
}

type Read = 'client' | 'provider' | 'evaluator' | 'description' | 'budget' | 'expiredAt' | 'status'
