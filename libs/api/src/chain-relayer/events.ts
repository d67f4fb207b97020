import { z } from 'zod'
import { event } from '../core/event.ts'
import { chain, timestamp } from '../core/fields.ts'
import { commandKind, opKey } from './command.ts'

const args = z.record(z.string(), z.unknown())
/** A decoded log: numbers of the contract as decimal text, addresses in EIP-55 form, bytes as 0x hex. */
export const decodedLog = z.object({ contract: z.string(), event: z.string(), args, address: z.string(), logIndex: z.int() })
export type DecodedLog = z.output<typeof decodedLog>

const command = {
  opKey,
  round: z.int().min(1),
  network: chain,
  kind: commandKind,
  aggregateKey: z.string(),
  attempts: z.int().min(0),
}
const mined = {
  ...command,
  txHash: z.string(),
  blockNumber: z.int(),
  blockHash: z.string(),
  /** Of the block. */
  minedAt: timestamp,
  logs: z.array(decodedLog),
}

export const commandSubmitted = event('chain.command.submitted', 'opKey', 'Signed and sent: the hash is known', { ...command, txHash: z.string() })
export const commandConfirmed = event('chain.command.confirmed', 'opKey', 'In a block, with success', mined)
export const commandFinalized = event('chain.command.finalized', 'opKey', 'Deep enough to stay', mined)
/**
 * Terminal: this round will never have an effect. EXPIRED was never signed and never will be. IDEMPOTENCY_MISMATCH speaks of the refused
 * command, not of the key: it frees nothing (`terminal` false).
 */
export const commandFailed = event('chain.command.failed', 'opKey', 'This round has failed for good', {
  ...command,
  code: z.string(),
  error: z.string(),
  /** Name and arguments of the custom error of the contract. */
  revert: z.object({ name: z.string(), args }).nullable(),
  txHash: z.string().nullable(),
  terminal: z.boolean(),
})
export const commandReorged = event('chain.command.reorged', 'opKey', 'Its block is gone: confirmed is submitted again', {
  ...command,
  txHash: z.string(),
  blockHash: z.string(),
})
export const chainCommandEvents = { commandSubmitted, commandConfirmed, commandFinalized, commandFailed, commandReorged }

/** The events of our contracts that are watched; each is a domain event `chain.event.<Contract>.<Event>`. */
export const watchedContractEvents = {
  USDC: ['Transfer', 'Approval'],
  IdentityRegistry: ['Registered', 'Transfer', 'URIUpdated'],
  Card: ['Minted', 'Transfer', 'MetadataUpdate'],
  Escrow: ['EscrowLocked', 'EscrowAccepted', 'EscrowReclaimed', 'PayeeSet', 'EscrowReleased', 'EscrowRefunded', 'EscrowDisputed'],
  Bond: ['BondDeposited', 'BondWithdrawn', 'BondLocked', 'BondUnlocked', 'BondSlashed', 'BondUnslashed'],
  SwarmValidator: ['ValidationCreated', 'CandidateReplaced', 'VoteCast', 'ValidationResolved', 'RewardPaid'],
  Commerce: ['JobCreated', 'JobFunded', 'JobAssigned', 'JobSubmitted', 'JobSettled', 'JobDisputed', 'JobCancelled', 'JobRejected'],
  DomainRegistry: ['Transfer', 'MetadataUpdate'],
  ReputationAdapter: ['ScoreUpdated'],
} as const
export type WatchedContract = keyof typeof watchedContractEvents

const contractLog = {
  /** `<network>:<blockHash>:<logIndex>` */
  logId: z.string(),
  network: chain,
  contract: z.string(),
  event: z.string(),
  address: z.string(),
  args,
  txHash: z.string(),
  blockNumber: z.int(),
  blockHash: z.string(),
  logIndex: z.int(),
  minedAt: timestamp,
  /** False at first sight, true when the block is deep enough: money from outside counts only then. */
  final: z.boolean(),
  /** Set when the log comes from a command of ours. */
  opKey: opKey.nullable(),
}

/** One event of one contract. @example on(contractEvent('Escrow', 'EscrowLocked'), …) */
export function contractEvent<C extends WatchedContract>(contract: C, name: (typeof watchedContractEvents)[C][number]) {
  return event(`chain.event.${contract}.${name}`, 'logId', `${contract} emitted ${name}`, contractLog)
}

export const contractEvents = Object.fromEntries(
  Object.entries(watchedContractEvents).flatMap(([contract, names]) =>
    names.map(name => {
      const declared = event(`chain.event.${contract}.${name}`, 'logId', `${contract} emitted ${name}`, contractLog)
      return [`${contract}.${name}`, declared] as const
    }),
  ),
)

export const logsRemoved = event('chain.event.removed', 'network', 'Blocks are gone: forget the logs of these', {
  network: chain,
  fromBlock: z.int(),
  blockHashes: z.array(z.string()),
})
