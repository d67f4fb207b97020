import { readFileSync } from 'node:fs'
import { Interface, type JsonFragment } from 'ethers'

/** Contracts in the order of their sources' weight for a reader: money first. */
export const contractNames = [
  'Escrow',
  'Bond',
  'SwarmValidator',
  'Commerce',
  'JobEvaluator',
  'IdentityRegistry',
  'ReputationRegistry',
  'ValidationRegistry',
  'Card',
  'DomainRegistry',
  'DomainResolver',
  'EnsRegistry',
  'ReputationAdapter',
  'Batcher',
  'Timelock',
  'DevUSDC',
  'Multicall3',
] as const

export type ContractName = (typeof contractNames)[number]
export type Hex = `0x${string}`

/** Bytes of the runtime code that the constructor fills in. */
export interface CodeRange {
  start: number
  length: number
}

export interface Artifact {
  contractName: string
  abi: readonly JsonFragment[]
  /** Creation code without constructor arguments. */
  bytecode: Hex
  /** Runtime code with zeros where `immutables` are. */
  deployedBytecode: Hex
  immutables: readonly CodeRange[]
}

const loaded = new Map<ContractName, Artifact>()
const interfaces = new Map<ContractName, Interface>()

/**
 * The compiled contract, read from the committed artifacts on first use.
 * @example artifact('Escrow').bytecode
 */
export function artifact(name: ContractName): Artifact {
  let found = loaded.get(name)
  if (!found) {
    found = JSON.parse(readFileSync(new URL(`../artifacts/${name}.json`, import.meta.url), 'utf8')) as Artifact
    loaded.set(name, found)
  }
  return found
}

/**
 * The contract's ABI as an ethers Interface, made once. Commerce overloads event names: query it by full signature, or use
 * `specInterface` / `erc8183Interface`.
 * @example interfaceOf('Escrow').encodeFunctionData('refund', [slot])
 */
export function interfaceOf(name: ContractName): Interface {
  let found = interfaces.get(name)
  if (!found) {
    found = new Interface(artifact(name).abi)
    interfaces.set(name, found)
  }
  return found
}
