import { z } from 'zod'
import { type Chain, chain } from '../core/fields.ts'

/** `<kind>:<ids>`, chosen by the caller from business facts (behaviour 13): names an effect that happens once. */
export const opKey = z.string().regex(/^[a-z0-9.-]{3,40}(:[A-Za-z0-9._-]{1,128}){1,4}$/, 'must be kind:ids')

/**
 * What a service requests of the relayer. Travels as type `chain.command.v1` on the commands exchange, routing key `chain.command.<chain>`.
 * Services build it with the typed builders of `@carapace/chain`, never by hand.
 */
export const chainCommand = z.object({
  opKey,
  /** From 1. A terminal failure may be tried again only as a higher round. */
  round: z.int().min(1).max(1_000_000),
  network: chain,
  kind: z.string().regex(/^[a-z]+\.[a-z0-9-]+$/),
  args: z.record(z.string(), z.unknown()),
  /** Commands with one aggregate key are carried out in the order in which they came. */
  aggregateKey: z.string().min(1).max(200),
  /** Unix milliseconds, wall clock. Past it the command is never signed. */
  deadline: z.int().positive().optional(),
  causationId: z.string().max(200).optional(),
})
export type ChainCommand = z.output<typeof chainCommand>
export const chainCommandType = 'chain.command.v1'
/** Routing key of a network's commands. @example commandRoute('BASE_SEPOLIA') === 'chain.command.BASE_SEPOLIA' */
export const commandRoute = (network: Chain): string => `chain.command.${network}`
