import { Binary, Long } from 'bson'
import { fail } from '../values/errors.ts'
import type { Test } from '../values/path.ts'
import { asInteger, asNumber, isNumeric, longToBigInt } from '../values/values.ts'

/** MongoDB knows no limit but that of a document; such masks would only cost time here. */
const maxPosition = 0xf_ffff

type BitTest = (arg: unknown, name: string) => Test

/** The tests of `$bitsAllSet` and its kin, each made from a mask: a number, a list of bit positions, or binary data. */
export const bitTests: Readonly<Record<'allSet' | 'allClear' | 'anySet' | 'anyClear', BitTest>> = {
  allSet: (arg, name) => bitTest(maskOf(arg, name), (bits, mask) => (bits & mask) === mask),
  allClear: (arg, name) => bitTest(maskOf(arg, name), (bits, mask) => (bits & mask) === 0n),
  anySet: (arg, name) => bitTest(maskOf(arg, name), (bits, mask) => (bits & mask) !== 0n),
  anyClear: (arg, name) => bitTest(maskOf(arg, name), (bits, mask) => (bits & mask) !== mask),
}

function bitTest(mask: bigint, holds: (bits: bigint, mask: bigint) => boolean): Test {
  return v => {
    const bits = bitsOf(v)
    return bits !== undefined && holds(bits, mask)
  }
}

function maskOf(arg: unknown, name: string): bigint {
  if (Array.isArray(arg)) {
    let mask = 0n
    for (const position of arg) {
      const bit = asInteger(position)
      if (bit === undefined || bit < 0) return fail(2, `bit positions of ${name} must be integers >= 0`)
      if (bit > maxPosition) return fail(2, `bit position of ${name} is too large: ${bit}`)
      mask |= 1n << BigInt(bit)
    }
    return mask
  }
  if (arg instanceof Binary) return bitsOf(arg)!
  const bits = bitsOf(arg)
  if (bits === undefined) return fail(2, `${name} takes an Array, a number, or a BinData but received: ${String(arg)}`)
  return bits < 0n ? fail(9, `Expected a non-negative number in: ${name}: ${String(arg)}`) : bits
}

/** Numbers as the two's complement that they have as int64 (a bigint behaves as if extended for ever), binary data little-endian. */
function bitsOf(v: unknown): bigint | undefined {
  if (v instanceof Binary) {
    let bits = 0n
    for (let i = v.position - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(v.buffer[i]!)
    return bits
  }
  if (!isNumeric(v)) return undefined
  if (v instanceof Long) return longToBigInt(v)
  const n = asNumber(v)
  return Number.isInteger(n) && n >= -(2 ** 63) && n < 2 ** 63 ? BigInt(n) : undefined
}
