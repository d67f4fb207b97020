import { type Chain, type ChainCommand, type CommandKind, chainCommand, chainCommandType, commandRoute, type Draft } from '@carapace/api'
import { z } from 'zod'
import type { AuthorizationRequest, SignedAuthorization } from './authorization.ts'
import type { ContractName } from './contract-names.ts'

/** One call of a contract function, not yet encoded. */
export interface ContractCall {
  contract: ContractName
  fn: string
  args: readonly unknown[]
  /** The contract of this name that the record was opened on; default: the first one that the database knew. */
  at?: string | undefined
}
/** A call of the contract that a record was opened on. @param at undefined: the first contract of this name */
export const callAt = (contract: ContractName, at: string | undefined, fn: string, args: readonly unknown[]): ContractCall => ({
  ...{ contract, fn, args },
  ...(at === undefined ? {} : { at }),
})

/** A plain transfer of native money. */
export interface NativeTransfer {
  to: string
  /** wei */
  value: bigint
}
/** A read that shows whether the effect is on chain already, by the contract's business key. */
export interface EffectCheck extends ContractCall {
  /** Result of the view function, as decoded by ethers. True = the effect is there and it is ours. */
  isOurs(result: readonly unknown[]): boolean
}

/** Any command of this kind in the same aggregate; with these arguments, as they are in the command. */
export interface Need {
  kind: CommandKind
  where?: Readonly<Record<string, unknown>>
}
/** For commands that build on nothing of their own aggregate. */
export const nothing = (): readonly Need[] => []

type Fields = Record<string, z.ZodType>
type Args<F extends Fields> = z.output<z.ZodObject<F>>

export interface CommandSpec<F extends Fields, Kind extends CommandKind = CommandKind> {
  /** `<contract>.<verb>` as in behaviour 13; first part of the operation key. */
  kind: Kind
  args: F
  /** Arguments that make up the operation key, in order. */
  key: readonly (keyof F & string)[]
  /** What must stay in order with it. */
  aggregate(args: Args<F>): string
  /** Gas of the call as measured, before the safety factor. */
  gas: bigint | ((args: Args<F>) => bigint)
  /** The address whose money the contract pulls from its caller; default: any key of the relayer. */
  sender?(args: Args<F>): string | undefined
  /** May be carried by the Batcher: the contract lets the Batcher be the caller. */
  batchable: boolean
  /** The contract itself would execute it twice: it goes through the Batcher only, which executes each operation once. Needs `batchable`. */
  guarded?: true
  call(args: Args<F>, authorization?: SignedAuthorization): ContractCall | NativeTransfer
  /** Calls that go first in the same transaction and may fail (a permit that somebody else has submitted). */
  prelude?(args: Args<F>): readonly ContractCall[]
  /** The token authorisation that the relayer signs with a custodial key before the call. */
  authorization?(args: Args<F>): AuthorizationRequest | undefined
  /**
   * Unix seconds at which the authorisation in its arguments ends, which anybody may submit. Once a transaction has shown it, the command fails only
   * when no block can hold its effect any more.
   */
  endsAt?(args: Args<F>): bigint
  effect?(args: Args<F>): EffectCheck
  /** Other kinds with the same key arguments whose effect this check finds, too: it does not show which of them caused it. */
  sameEffect?: readonly CommandKind[]
  /**
   * Reverts that no further block can change: custom errors by name, others by their text. Every other one may come from an effect
   * that a reorganisation dropped; such a command is tried again (see `revertClass`).
   */
  finalReverts: readonly string[]
  /** The commands of its aggregate on whose effect it builds: without that its call reverts. */
  needs(args: Args<F>): readonly Need[]
  /**
   * Its failure only frees what was reserved for it, and its requester requests it again: a missing effect is waited for while a command of ours can
   * still cause it, not for what somebody else may send (an allowance, a balance).
   */
  isEntry?: true
  /**
   * Reverts for want of what all aggregates share, by name, and the kinds that free some of it: such a revert is waited for as long as a block that had
   * one of those may be away.
   */
  freedBy?: Readonly<Record<string, readonly CommandKind[]>>
  /** Only on networks with this property. */
  only?: 'devnet' | 'gasless'
}

export interface Command<F extends Fields = Fields, Kind extends CommandKind = CommandKind> extends CommandSpec<F, Kind> {
  readonly schema: z.ZodObject<F>
  opKey(args: Args<F>): string
  /** A draft for a service's outbox. @throws ZodError when an argument is not valid */
  draft(input: CommandInput<F>): Draft
}

export type CommandInput<F extends Fields> = Args<F> & {
  chain: Chain
  /** From 1; a later round only after the one before has failed. Default 1. */
  round?: number
  /** Past it the command is never signed. */
  deadline?: Date
  causationId?: string
}

const separator = ':'

/** Declares a kind of command once; builder, key, validation and encoding come from here. */
export function command<const F extends Fields, const Kind extends CommandKind>(spec: CommandSpec<F, Kind>): Command<F, Kind> {
  const schema = z.object(spec.args)
  const opKey = (args: Args<F>) => operationKey(spec.kind, ...spec.key.map(name => String((args as Record<string, unknown>)[name])))
  return {
    ...spec,
    schema,
    opKey,
    draft: input => {
      const args = z.decode(schema, z.encode(schema, input)) as Args<F>
      const payload: ChainCommand = chainCommand.parse({
        opKey: opKey(args),
        round: input.round ?? 1,
        network: input.chain,
        kind: spec.kind,
        args: z.encode(schema, args),
        aggregateKey: spec.aggregate(args),
        ...(input.deadline ? { deadline: input.deadline.getTime() } : {}),
        ...(input.causationId ? { causationId: input.causationId } : {}),
      })
      return { exchange: 'commands', type: chainCommandType, routingKey: commandRoute(input.chain), subject: payload.opKey, data: payload }
    },
  }
}

/** The operation key of a record that knows the parts of it. @example operationKey('escrow.settle', gigId) */
export const operationKey = (kind: CommandKind, ...ids: readonly (string | number)[]): string => [kind, ...ids].join(separator)

/**
 * Splits an operation key: the kind of command, and the arguments that its `key` names, in that order.
 * @example const [, validationId, voter] = operationParts('swarm.vote:0190a5d0-…:0x1a…')
 */
export function operationParts(opKey: string): readonly [kind: string, first: string, ...rest: string[]] {
  const [kind = '', first = '', ...rest] = opKey.split(separator)
  return [kind, first, ...rest]
}
