import { artifact, type ContractName } from '../artifact.ts'
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

/** Throws when an address holds other code than ours. */
export async function requireOurCode(rpcUrl: Node, steps: readonly Step[]): Promise<void> {
  const codes = await callAll(
    rpcUrl,
    steps.map((s): Call => ['eth_getCode', s.address, 'latest']),
  )
  const wrong = steps.filter((s, i) => !isCodeOf(s.name, codes[i] as string))
  if (wrong.length > 0) throw new Error(`other code than ours at ${wrong.map(s => `${s.address} (${s.name})`).join(', ')}`)
}
