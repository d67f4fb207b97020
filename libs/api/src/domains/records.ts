import { z } from 'zod'
import { chain, id, nextDeadline, onChain, timestamp, usdOut, walletOut } from '../core/fields.ts'
import { currency } from '../core/terms.ts'

export const extensions = ['.molt', '.claw', '.shell', '.pinch', '.agent'] as const
export const extension = z.enum(extensions)
export type Extension = z.output<typeof extension>
/** An extension in a request, with or without its dot, any letter case. */
export const extensionIn = z
  .string()
  .max(16)
  .meta({ examples: ['.molt'] })
  .transform(value => `.${value.trim().toLowerCase().replace(/^\./, '')}`)
  .pipe(extension)

/** Base price, whole USDC; null = by length of the name. freeScore 101 cannot be reached. */
export const domainPrices: Readonly<Record<Extension, { price: number | null; freeScore: number }>> = {
  '.molt': { price: 0, freeScore: 0 },
  '.claw': { price: 50, freeScore: 70 },
  '.shell': { price: 100, freeScore: 50 },
  '.pinch': { price: 25, freeScore: 30 },
  '.agent': { price: null, freeScore: 101 },
}

/** Names that nobody can register (behaviour 9). */
export const reservedNames: readonly string[] =
  'admin administrator api app www root registry contract token agent crew swarm oracle official verified support help security system null undefined carapace molt claw shell pinch'.split(
    ' ',
  )

export const domainRecord = z
  .looseObject({
    id,
    name: z.string(),
    tld: extension,
    fullDomain: z.string(),
    ownerWallet: walletOut.nullable(),
    agentId: id.nullable(),
    status: z.enum(['pending', 'active', 'released']),
    pricePaid: usdOut,
    free: z.boolean(),
    isPrimary: z.boolean(),
    tokenId: z.string().nullable(),
    txHash: z.string().nullable(),
    explorerUrl: z.string().nullable(),
    registeredAt: timestamp,
    chain,
    onChain,
    nextDeadline,
  })
  .meta({ id: 'Domain' })
export type DomainRecord = z.output<typeof domainRecord>

export const domainCheck = z
  .looseObject({
    available: z.boolean(),
    price: usdOut,
    freeScore: z.number(),
    agentMeetsRequirement: z.boolean(),
    lengthBased: z.boolean(),
    fullDomain: z.string(),
    currency,
    reason: z.enum(['taken', 'reserved', 'invalid']).nullable(),
  })
  .meta({ id: 'DomainCheck' })

export const domainRegistered = z
  .looseObject({
    domain: z.string(),
    moltDomain: z.string().nullable(),
    free: z.boolean(),
    pricePaid: usdOut,
    record: domainRecord,
    txHash: z.string().nullable(),
    onChain,
    fullDomain: z.string().optional(),
    tld: extension.optional(),
    ownerWallet: walletOut.optional(),
    profileUrl: z.string().optional(),
  })
  .meta({ id: 'DomainRegistration' })
