import { micro } from '@carapace/api'
import { z } from 'zod'
import { toChecksum } from './keys.ts'

/** Building blocks of command arguments: plain JSON on the wire, normalised in code. */

/** EIP-55 form of an address in any letter case; not the zero address. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'must be 0x and 40 hex digits', abort: true })
  .refine(value => !/^0x0{40}$/.test(value), 'must not be the zero address')
  .overwrite(toChecksum)
/** As `address`; the zero address stands for "none yet". */
export const addressOrZero = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'must be 0x and 40 hex digits', abort: true })
  .overwrite(toChecksum)
export const bytes32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
  .overwrite(value => value.toLowerCase())
/** Micro-USDC or any other unsigned integer: decimal text on the wire. */
export const amount = micro.refine(value => value >= 0n && value < 1n << 256n, 'must be an unsigned integer')
export const positive = micro.refine(value => value > 0n && value < 1n << 256n, 'must be above 0')
/** A signature of a wallet or, longer, of a contract wallet. */
export const signature = z.string().regex(/^0x[0-9a-fA-F]{130,2048}$/, 'must be signature bytes in hex')
/** A record's id in lower case. */
export const recordId = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, 'must be a UUID')
  .overwrite(value => value.toLowerCase())
/** An id that need not be a UUID, such as one followed by a counter. */
export const keyId = z.string().regex(/^[A-Za-z0-9._-]{1,128}$/, 'must be 1 to 128 characters of A-Z a-z 0-9 . _ -')
