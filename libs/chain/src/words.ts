import type { FunctionFragment } from 'ethers'

/** Encoders of ABI values that are one 32-byte word each: a hundredth of what the general coder costs. */
const word: Record<string, (value: unknown) => string | undefined> = {
  address: value => (typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.slice(2).toLowerCase().padStart(64, '0') : undefined),
  bytes32: value => (typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value) ? value.slice(2).toLowerCase() : undefined),
  uint256: value => (typeof value === 'bigint' && value >= 0n && value < 1n << 256n ? uintWord(value) : undefined),
  bool: value => (typeof value === 'boolean' ? uintWord(value ? 1n : 0n) : undefined),
}

/** Calldata of a function whose parameters are all such words; undefined when the general coder is needed. */
export function encodeWords(fragment: FunctionFragment, selector: string, args: readonly unknown[]): string | undefined {
  if (fragment.inputs.length !== args.length) return undefined
  let data = selector
  for (const [index, input] of fragment.inputs.entries()) {
    const encoded = word[input.type]?.(args[index])
    if (encoded === undefined) return undefined
    data += encoded
  }
  return data
}

export const uintWord = (value: bigint | number): string => value.toString(16).padStart(64, '0')

/** Bytes (hex with 0x) as the ABI's tail form: length, then the bytes filled up to whole words. */
export function bytesTail(hex: string): string {
  const body = hex.slice(2)
  return uintWord(body.length / 2) + body.padEnd(Math.ceil(body.length / 64) * 64, '0')
}
