import { getCreateAddress, Wallet } from 'ethers'
import type { Addresses } from '../address.ts'
import type { ContractName } from '../artifact.ts'
import { requireOurCode } from './code.ts'
import type { Deployment } from './devnet.ts'
import { type Authorities, planCreation } from './plan.ts'
import { create } from './real.ts'
import { callAll } from './rpc.ts'

/** Contracts that no other one refers to: a further one works with those that are there. */
export const replaceable = ['Escrow'] as const satisfies readonly ContractName[]
type Replaceable = (typeof replaceable)[number]

/** The file of a network's addresses; `former`: where replaced contracts were, oldest first. */
export interface Addressed extends Deployment {
  former?: Partial<Record<Replaceable, readonly string[]>>
}

export interface Replacement extends Authorities {
  rpcUrl: string
  /** Private key of a funded account. */
  deployerKey: string
  timelockDelaySeconds: number
  baseUrl: string
  name: Replaceable
  /** The file of the present contracts. */
  present: Addressed
}

/**
 * Deploys a further contract of a name next to the present ones, for the same token, timelock and Batcher. Records stay on the one that they were opened on.
 * @returns the file of addresses with the new one, which names the former one too
 * @throws Error on another chain id, on a reverted transaction, on foreign code
 */
export async function deployReplacement(options: Replacement): Promise<Addressed> {
  const { rpcUrl, name, present } = options
  const { chainId, addresses, former } = present
  const wallet = new Wallet(options.deployerKey)
  const [id, count] = await callAll(rpcUrl, [['eth_chainId'], ['eth_getTransactionCount', wallet.address, 'latest']])
  if (Number(id) !== chainId) throw new Error(`the node has chain id ${Number(id)}, not ${chainId}`)
  const nonce = Number(count)
  const address = getCreateAddress({ from: wallet.address, nonce })
  const step = { ...planCreation(name, { ...options, chainId, deployer: wallet.address, profile: 'real' }, addresses), nonce, address }
  await create(rpcUrl, wallet, step, chainId)
  await requireOurCode(rpcUrl, [step])
  return {
    ...present,
    addresses: { ...addresses, [name]: address } as Addresses,
    former: { ...former, [name]: [...(former?.[name] ?? []), addresses[name]] },
  }
}
