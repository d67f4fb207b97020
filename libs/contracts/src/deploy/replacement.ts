import { getCreateAddress, Wallet } from 'ethers'
import type { Addresses } from '../address.ts'
import type { ContractName } from '../artifact.ts'
import { requireOurCode } from './code.ts'
import type { Deployment } from './devnet.ts'
import { type Authorities, planCreation } from './plan.ts'
import { create } from './real.ts'
import { callAll } from './rpc.ts'

/**
 * What is replaced, and what refers to it and is replaced with it. Others refer to a SwarmValidator as the pool of their fees: that is the first one
 * for ever (`poolOf`), so that further ones work with those that are there.
 */
export const replacedTogether = {
  SwarmValidator: ['SwarmValidator', 'Bond'],
  Escrow: ['Escrow'],
  Commerce: ['Commerce', 'JobEvaluator'],
  DomainRegistry: ['EnsRegistry', 'DomainResolver', 'DomainRegistry'],
} as const satisfies Partial<Record<ContractName, readonly ContractName[]>>
export type ReplacementGroup = keyof typeof replacedTogether
/** Contracts that may have former ones. */
export type Replaced = (typeof replacedTogether)[ReplacementGroup][number]

/** The file of a network's addresses; `former`: where replaced contracts were, oldest first. */
export interface Addressed extends Deployment {
  former?: Partial<Record<Replaced, readonly string[]>>
}

export interface Replacement extends Authorities {
  rpcUrl: string
  /** Private key of a funded account. */
  deployerKey: string
  timelockDelaySeconds: number
  baseUrl: string
  name: ReplacementGroup
  /** The file of the present contracts. */
  present: Addressed
}

/** Where fees are sent and rewards are paid from, also after replacements. */
const poolOf = ({ addresses, former }: Addressed): string => former?.SwarmValidator?.[0] ?? addresses.SwarmValidator

/**
 * Deploys a further contract of a name, and what is replaced with it, next to the present ones, for the same token, timelock and Batcher. Records stay on
 * the one that they were opened on.
 * @returns the file of addresses with the new one, which names the former one too
 * @throws Error on another chain id, on a reverted transaction, on foreign code
 */
export async function deployReplacement(options: Replacement): Promise<Addressed> {
  const { rpcUrl, name, present } = options
  const { chainId, addresses, former } = present
  const wallet = new Wallet(options.deployerKey)
  const [id, count] = await callAll(rpcUrl, [['eth_chainId'], ['eth_getTransactionCount', wallet.address, 'latest']])
  if (Number(id) !== chainId) throw new Error(`the node has chain id ${Number(id)}, not ${chainId}`)
  const names: readonly Replaced[] = replacedTogether[name]
  const place = (at: number) => ({ nonce: Number(count) + at, address: getCreateAddress({ from: wallet.address, nonce: Number(count) + at }) })
  const further = { ...addresses, ...Object.fromEntries(names.map((one, at) => [one, place(at).address])) } as Addresses
  const among = names.includes('SwarmValidator') ? further : { ...further, SwarmValidator: poolOf(present) }
  const input = { ...options, chainId, deployer: wallet.address, profile: 'real' } as const
  const steps = names.map((one, at) => ({ ...planCreation(one, input, among), ...place(at) }))
  for (const step of steps) await create(rpcUrl, wallet, step, chainId)
  await requireOurCode(rpcUrl, steps)
  return {
    ...present,
    addresses: further,
    former: { ...former, ...Object.fromEntries(names.map(one => [one, [...(former?.[one] ?? []), addresses[one]]])) },
  }
}
