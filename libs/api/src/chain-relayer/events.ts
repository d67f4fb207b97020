import { z } from 'zod'
import { event } from '../core/event.ts'
import { chain, txHash } from '../core/fields.ts'
import { opKey } from './command.ts'

/** A decoded log: big integers as decimal text, bytes as hex. */
export const chainLog = z.object({
  contract: z.string(),
  event: z.string(),
  args: z.record(z.string(), z.unknown()),
  address: z.string(),
  logIndex: z.int(),
  /** Among the logs of its own transaction, from 0: stays the same in whatever block the transaction is included. Absent in events from before it was told. */
  logPosition: z.int().min(0).optional(),
})
export type ChainLog = z.output<typeof chainLog>

const outcome = {
  opKey,
  round: z.int(),
  kind: z.string(),
  network: chain,
  aggregateKey: z.string(),
  /** Rises with every event about this operation key. */
  seq: z.int(),
}
const inBlock = { txHash, blockNumber: z.int(), blockHash: txHash, blockTime: z.int().meta({ description: 'Unix seconds, block time' }) }

export const commandFailureCodes = [
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

export const chainCommandSubmitted = event('chain.command.submitted', 'opKey', 'A transaction was signed and its hash is known', {
  ...outcome,
  txHash,
})
/** The effect was found on chain: another transaction had it, this one at most found nothing left to do. */
const already = z.boolean()

export const chainCommandConfirmed = event('chain.command.confirmed', 'opKey', 'The effect is in a block (depth 0)', {
  ...outcome,
  ...inBlock,
  logs: z.array(chainLog),
  already,
})
export const chainCommandFinalized = event('chain.command.finalized', 'opKey', 'The block of the effect is final', {
  ...outcome,
  ...inBlock,
  logs: z.array(chainLog),
  already,
})
export const chainCommandFailed = event('chain.command.failed', 'opKey', 'The command had no effect and, in this round, never will', {
  ...outcome,
  /** IDEMPOTENCY_MISMATCH, ROUND_REFUSED and INVALID_COMMAND speak of the refused command, not of the key: they free nothing. EXPIRED: never signed and never will be. */
  code: z.enum(commandFailureCodes),
  /** True when this ends the round: reservations may be freed. */
  terminal: z.boolean(),
  message: z.string(),
  /** Decoded custom error or revert text, when there was one. */
  revert: z.object({ name: z.string(), args: z.array(z.string()) }).optional(),
  attempts: z.int(),
  txHash: txHash.optional(),
})
export const chainCommandReorged = event(
  'chain.command.reorged',
  'opKey',
  'The block of a confirmed effect is gone; the same transaction is sent again',
  {
    ...outcome,
    txHash,
    blockHash: txHash,
  },
)

const seenLog = {
  /** `<network>:<blockHash>:<logIndex>`: one per log and branch. The log itself is network, txHash and logPosition. */
  logId: z.string(),
  network: chain,
  ...chainLog.shape,
  ...inBlock,
}

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const integer = z.string().regex(/^\d{1,78}$/)
/** Arguments of the events whose readers need each of them: what lacks one is malformed. */
const argsOf: Readonly<Record<string, z.ZodType<Record<string, unknown>, Record<string, unknown>>>> = {
  'USDC.Transfer': z.looseObject({ from: address, to: address, value: integer }),
  'IdentityRegistry.Transfer': z.looseObject({ from: address, to: address, tokenId: integer }),
}

/** Contract events that services hear about, decoded: the producer's side of `chain.event.<Contract>.<Event>`. */
export const chainEvent = (contract: string, name: string) =>
  event(`chain.event.${contract}.${name}`, 'logId', `${contract} emitted ${name}`, {
    ...seenLog,
    args: argsOf[`${contract}.${name}`] ?? seenLog.args,
    /** false: seen at depth 0. true: final, comes a second time; money consumers act on this one only. */
    final: z.boolean(),
  })
export const chainEventRemoved = event('chain.event.removed', 'logId', 'A contract event seen before is gone with its block', seenLog)

/** The events of our contracts that services hear about (behaviour 13, 15). */
export const watchedContractEvents = {
  USDC: ['Transfer'],
  IdentityRegistry: ['Registered', 'Transfer'],
  Card: ['Transfer'],
  Escrow: ['EscrowLocked', 'EscrowAccepted', 'EscrowReclaimed', 'PayeeSet', 'EscrowReleased', 'EscrowRefunded', 'EscrowDisputed'],
  Bond: ['BondDeposited', 'BondWithdrawn', 'BondLocked', 'BondUnlocked', 'BondSlashed', 'BondUnslashed'],
  SwarmValidator: ['ValidationCreated', 'CandidateReplaced', 'VoteCast', 'ValidationResolved', 'RewardPaid'],
  Commerce: ['JobCreated', 'JobFunded', 'JobAssigned', 'JobSubmitted', 'JobSettled', 'JobDisputed', 'JobCancelled', 'JobRejected'],
  DomainRegistry: ['Transfer'],
  ReputationAdapter: ['ScoreUpdated'],
} as const

/** Every watched event, declared: the AsyncAPI document and the producer's checks walk this table. */
export const contractEvents = Object.fromEntries(
  Object.entries(watchedContractEvents).flatMap(([contract, names]) =>
    names.map(name => [`${contract}.${name}`, chainEvent(contract, name)] as const),
  ),
)
