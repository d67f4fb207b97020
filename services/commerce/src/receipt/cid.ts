import { createHash } from 'node:crypto'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
/** CIDv1, codec raw, multihash sha2-256 of 32 bytes. */
const head = Buffer.from([0x01, 0x55, 0x12, 0x20])

/** The content identifier of bytes as IPFS gives it to a raw block, in base32. @example cidOf(bytes) === 'bafkrei…' */
export function cidOf(bytes: Buffer): string {
  return `b${base32(Buffer.concat([head, createHash('sha256').update(bytes).digest()]))}`
}

/** RFC 4648 in lower case, without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map(five => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}
