/** RLP of transactions, on bytes. ethers' own costs ten times as much per transaction. */

export type RlpItem = Uint8Array | readonly RlpItem[]

/** The shortest big-endian bytes of an unsigned integer; 0 is empty. */
export function uintBytes(value: bigint | number): Uint8Array {
  if (value === 0 || value === 0n) return Buffer.alloc(0)
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')
}

export const hexBytes = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex')

export function rlp(item: RlpItem): Buffer {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && item[0]! < 0x80) return Buffer.from(item)
    return Buffer.concat([header(item.length, 0x80), item])
  }
  const body = Buffer.concat(item.map(rlp))
  return Buffer.concat([header(body.length, 0xc0), body])
}

function header(length: number, offset: number): Buffer {
  if (length < 56) return Buffer.from([offset + length])
  const size = uintBytes(length)
  return Buffer.concat([Buffer.from([offset + 55 + size.length]), size])
}
