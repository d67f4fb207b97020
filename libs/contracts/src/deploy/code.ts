import type { Addresses } from '../address.ts'
import { artifact, type ContractName, contractNames } from '../artifact.ts'
import type { Step } from './plan.ts'
import { type Call, callAll, type Node } from './rpc.ts'

/**
 * Whether runtime code on chain is that of the contract, with any values of its immutables.
 * @example isCodeOf('Escrow', await provider.getCode(address))
 */
export function isCodeOf(name: ContractName, code: string): boolean {
  const { deployedBytecode, immutables } = artifact(name)
  if (code.length !== deployedBytecode.length) return false
  let masked = code.toLowerCase()
  for (const { start, length } of immutables) {
    const from = 2 + 2 * start
    masked = masked.slice(0, from) + '0'.repeat(2 * length) + masked.slice(from + 2 * length)
  }
  return masked === deployedBytecode
}

/** Whether every contract of a deployment is where its file says, with our code. @example await isDeployed(rpcUrl, JSON.parse(file).addresses) */
export async function isDeployed(rpcUrl: Node, addresses: Addresses): Promise<boolean> {
  const places = contractNames.map(name => ({ name, address: addresses[name] }))
  return places.every(({ address }) => address !== undefined) && (await foreignOf(rpcUrl, places)).length === 0
}

/** Throws when an address holds other code than ours. */
export async function requireOurCode(rpcUrl: Node, steps: readonly Place[]): Promise<void> {
  const wrong = await foreignOf(rpcUrl, steps)
  if (wrong.length > 0) throw new Error(`other code than ours at ${wrong.map(s => `${s.address} (${s.name})`).join(', ')}`)
}

type Place = Pick<Step, 'name' | 'address'>

async function foreignOf(rpcUrl: Node, steps: readonly Place[]): Promise<Place[]> {
  const codes = await callAll(
    rpcUrl,
    steps.map((s): Call => ['eth_getCode', s.address, 'latest']),
  )
  return steps.filter((s, i) => !isCodeOf(s.name, codes[i] as string))
}
