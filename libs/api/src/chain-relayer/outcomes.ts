import { z } from 'zod'
import { type EventDef, event } from '../core/event.ts'
import { chain, txHash } from '../core/fields.ts'
import { opKey } from './command.ts'
import { type CommandKind, commandKinds } from './command-kinds.ts'
import { chainLog, inBlock } from './log.ts'

const outcome = {
  opKey,
  round: z.int(),
  kind: z.string(),
  network: chain,
  aggregateKey: z.string(),
  /** Rises with every event about this operation key. */
  seq: z.int(),
}
const effect = {
  ...outcome,
  ...inBlock,
  logs: z.array(chainLog),
  /** The effect was found on chain: another transaction had it, this one at most found it there. */
  already: z.boolean(),
}

const failureCodes = [
  'REVERTED',
  'OUT_OF_GAS',
  'EXPIRED',
  'CANCELLED',
  'INVALID_COMMAND',
  'IDEMPOTENCY_MISMATCH',
  'ROUND_REFUSED',
  'REPLACED',
  'REJECTED_BY_NODE',
] as const

const payloads = {
  submitted: z.object({ ...outcome, txHash }).meta({ id: 'CommandSubmitted' }),
  confirmed: z.object(effect).meta({ id: 'CommandConfirmed' }),
  finalized: z.object(effect).meta({ id: 'CommandFinalized' }),
  failed: z
    .object({
      ...outcome,
      /** IDEMPOTENCY_MISMATCH, ROUND_REFUSED and INVALID_COMMAND speak of the refused command, not of the key: they free nothing. EXPIRED: never signed and never will be. */
      code: z.enum(failureCodes),
      /** True when this ends the round: reservations may be freed. */
      terminal: z.boolean(),
      message: z.string(),
      /** Decoded custom error or revert text, when there was one. */
      revert: z.object({ name: z.string(), args: z.array(z.string()) }).optional(),
      attempts: z.int(),
      txHash: txHash.optional(),
    })
    .meta({ id: 'CommandFailed' }),
  reorged: z.object({ ...outcome, txHash, blockHash: txHash }).meta({ id: 'CommandReorged' }),
}
type Payloads = typeof payloads
type AnyPayload = z.ZodObject<{ opKey: z.ZodType }>

/** What the chain can make of a command. */
export type OutcomeName = keyof Payloads
const outcomeNames = Object.keys(payloads) as OutcomeName[]

const summaries: Readonly<Record<OutcomeName, string>> = {
  submitted: 'A transaction was signed and its hash is known',
  confirmed: 'The effect is in a block (depth 0)',
  finalized: 'The block of the effect is final',
  failed: 'The command had no effect and, in this round, never will',
  reorged: 'The block of a confirmed effect is dropped; the same transaction is sent again',
}

/** An outcome as it is published, with its name. */
export type PublishedOutcome<Name extends OutcomeName = OutcomeName> = { [Is in Name]: { is: Is } & z.output<Payloads[Is]> }[Name]

/** Those that a record follows: finality changes nothing that it shows. */
export type FollowedOutcome = PublishedOutcome<'submitted' | 'confirmed' | 'failed' | 'reorged'>

/** The five events about commands of one kind, by the name of the outcome. */
export type OutcomeEvents = { readonly [Name in OutcomeName]: EventDef<Payloads[Name]['shape']> }

const prefix = 'chain.command.'
const nameOf = (kind: string, outcome: OutcomeName): string => `${prefix}${kind.replaceAll('.', '-')}.${outcome}`
const declare = (kind: string): OutcomeEvents =>
  Object.fromEntries(
    outcomeNames.map(name => [name, event(nameOf(kind, name), 'opKey', `${kind}: ${summaries[name]}`, payloads[name] as AnyPayload, 'internal')]),
  ) as unknown as OutcomeEvents

const declared = new Map<string, OutcomeEvents>(Object.keys(commandKinds).map(kind => [kind, declare(kind)]))

/**
 * The events about commands of one kind. A kind that is not in the table has events that nobody consumes: the relayer refuses such a command.
 * @example chainOutcome('escrow.lock').confirmed.type === 'chain.command.escrow-lock.confirmed.v1'
 */
export const chainOutcome = (kind: string): OutcomeEvents => declared.get(kind) ?? declare(kind)

/** Some outcomes of some kinds, for what a service consumes. @example outcomesOf(['score.sync'], ['confirmed', 'failed']) */
export const outcomesOf = (kinds: readonly CommandKind[], names: readonly OutcomeName[]): EventDef[] =>
  kinds.flatMap(kind => names.map(name => chainOutcome(kind)[name] as unknown as EventDef))

/** The outcome that a type of event names; undefined for every other type. @example outcomeNameOf('chain.command.escrow-lock.failed.v1') === 'failed' */
export const outcomeNameOf = (type: string): OutcomeName | undefined =>
  type.startsWith(prefix) ? outcomeNames.find(name => type.endsWith(`.${name}.v1`)) : undefined

/** Every outcome of every kind, by name: the AsyncAPI document and the producer's checks walk this table. */
export const commandOutcomes: Readonly<Record<string, EventDef>> = Object.fromEntries(
  outcomesOf(Object.keys(commandKinds) as CommandKind[], outcomeNames).map(declared => [declared.name, declared]),
)
