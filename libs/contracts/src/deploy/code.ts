import { artifact, type ContractName } from '../artifact.ts'

/**
 * Whether runtime code on chain is that of the contract, whatever its constructor wrote into the immutables.
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
