import { z } from 'zod'
import { limits } from './limits.ts'
import { MICRO, parseUsd, usd } from './money.ts'

/** The zod building blocks of all declarations. Names ending in `In` are for requests: they normalise what they accept. */

export const chains = ['BASE_SEPOLIA', 'SKALE_TESTNET'] as const
export type Chain = (typeof chains)[number]
export const chain = z.enum(chains).meta({ description: 'Network' })

export const uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'must be a UUID')
  .transform(id => id.toLowerCase())
export const pathId = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 characters of A-Z a-z 0-9 _ - .')
export const handle = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{1,30}[a-z0-9])$/, 'must be 3 to 32 lower-case letters, digits and hyphens, no hyphen at either end')
/** An EVM address in a request, in lower case for comparing; identity stores and answers the EIP-55 form. */
export const walletIn = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
  .refine(w => !/^0x0{40}$/.test(w), 'must not be the zero address')
  .transform(w => w.toLowerCase())
export const txHash = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Surrogate}/u
const cleanText = z
  .string()
  .refine(s => !control.test(s), 'must not contain control characters')
  .transform(s => s.normalize('NFC').trim())
const atMost = (max: number) => z.string().refine(s => s.length <= max || [...s].length <= max, `must be at most ${max} characters`)

/** Text of 1..max characters (code points) after trimming. */
export const text = (max: number) => cleanText.pipe(atMost(max).min(1, 'must not be empty')).meta({ minLength: 1, maxLength: max })
/** Text of 0..max characters (code points) after trimming. */
export const text0 = (max: number) => cleanText.pipe(atMost(max)).meta({ maxLength: max })
export const skillSlug = z
  .string()
  .transform(s => s.trim().toLowerCase())
  .pipe(z.string().regex(/^[a-z0-9][a-z0-9+#._ -]{0,63}$/, 'must be 1 to 64 characters of a-z 0-9 + # . _ space -, starting with a letter or digit'))
export const skillsIn = z
  .array(skillSlug)
  .max(limits.list.skills, `must have at most ${limits.list.skills} entries`)
  .transform(list => [...new Set(list)])
export const urlIn = z
  .string()
  .max(limits.text.url, `must be at most ${limits.text.url} characters`)
  .refine(isWebUrl, 'must be an http or https URL without credentials')
  .meta({ format: 'uri' })

function isWebUrl(value: string): boolean {
  if (control.test(value) || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

const usdText = 'must be a number of USDC with at most 6 decimals'
/** Whole USDC in a request body: a JSON number that becomes bigint micro-USDC. Bounds are micro-USDC, inclusive. */
export const usdIn = (bounds: { min?: bigint; max?: bigint; zero?: boolean } = {}) => {
  const min = bounds.min ?? (bounds.zero ? 0n : 1n)
  const max = bounds.max ?? 1_000_000_000n * MICRO
  return z
    .number(usdText)
    .transform((usdc, context) => {
      const micro = parseUsd(usdc)
      if (micro !== undefined && micro >= min && micro <= max) return micro
      const issue = micro === undefined ? usdText : micro < min ? `must be at least ${usd(min)} USDC` : `must be at most ${usd(max)} USDC`
      context.issues.push({ code: 'custom', message: issue, input: usdc })
      return z.NEVER
    })
    .meta({ description: 'Whole USDC, at most 6 decimals', minimum: usd(min), maximum: usd(max) })
}
/** Whole USDC in a query string. */
export const usdQuery = z
  .string()
  .regex(/^\d{1,10}(\.\d{1,6})?$/, usdText)
  .transform(Number)
  .pipe(usdIn({ zero: true }))
  .meta({ type: 'number', minimum: 0, description: 'Whole USDC, at most 6 decimals' })
/** Micro-USDC integer in a request body. */
export const microIn = (bounds: { min: bigint; max: bigint }) =>
  z.int('must be an integer of micro-USDC').min(Number(bounds.min)).max(Number(bounds.max)).transform(BigInt)
/** Micro-USDC in an event: decimal text on the wire, bigint in code. */
export const micro = z.codec(z.string().regex(/^-?\d{1,30}$/), z.bigint(), { decode: BigInt, encode: String })

/** Whole USDC in an answer. */
export const usdOut = z.number().meta({ description: 'Whole USDC, at most 6 decimals' })
/** Micro-USDC in an answer (treasury). */
export const microOut = z.int().meta({ description: 'Micro-USDC' })
export const timestamp = z.iso.datetime({ precision: 3 })

/** An id in an answer or event. */
export const id = z.string().min(1).max(64)
/** Micro-USDC in an answer between services: decimal text. */
export const microText = z.string().regex(/^-?\d{1,30}$/)
/** A yes or no of the query string. */
export const flagQuery = z.enum(['true', 'false']).transform(value => value === 'true')
/** A comma-separated list of skill slugs of the query string. */
export const skillsQuery = z
  .string()
  .transform(csv => csv.split(',').filter(part => part.trim() !== ''))
  .pipe(skillsIn)
/** An EVM address in an answer, EIP-55 form. */
export const walletOut = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
/** A signature over typed data, 65 bytes, or longer for contract wallets. */
export const signatureIn = z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,2048}$/, 'must be 0x and at least 65 bytes of hex')

const wholeNumber = (what: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be ${what}`)
    .transform(Number)
/** An integer of the query string. */
export const intQuery = (min: number, max: number) =>
  wholeNumber(`a whole number from ${min} to ${max}`)
    .pipe(z.int().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`))
    .meta({ type: 'integer', minimum: min, maximum: max })
/** `limit` and `offset`; a limit above the maximum is lowered to it. */
export const pageQuery = {
  limit: wholeNumber('a whole number of at least 1')
    .pipe(z.int().min(1, 'must be at least 1'))
    .transform(n => Math.min(n, limits.page.max))
    .prefault(String(limits.page.default))
    .meta({ type: 'integer', minimum: 1, description: 'More than 100 is lowered to 100' }),
  offset: wholeNumber('a whole number of at least 0').prefault('0').meta({ type: 'integer', minimum: 0 }),
}
/** Which page of a list is requested: at most `limit` entries after the first `offset`. */
export type PageQuery = z.infer<z.ZodObject<typeof pageQuery>>
/** The answer L(x): one page of a list under its name. */
export const listOf = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.looseObject({ [name]: z.array(item), total: z.int(), limit: z.int(), offset: z.int() } as Record<Name, z.ZodArray<Item>> & {
    total: z.ZodInt
    limit: z.ZodInt
    offset: z.ZodInt
  })

/** The short form of an agent inside other records. */
export const agentRef = z.looseObject({ id: z.string(), handle: z.string().nullable(), fusedScore: z.number(), tier: z.string().nullable() })
/** The on-chain part of a record. */
export const onChain = z.looseObject({
  status: z.enum(['none', 'pending', 'confirmed', 'failed']),
  chain: chain.nullable(),
  txHash: z.string().nullable(),
  blockNumber: z.int().nullable(),
  error: z.string().nullable(),
})
/** What time alone does next to a record; `poll`: the relayer is queried for the outcome of its command. */
export const nextDeadline = z.looseObject({ at: timestamp, action: z.string() }).nullable()
export type NextDeadline = z.output<typeof nextDeadline>
