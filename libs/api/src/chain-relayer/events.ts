import { z } from 'zod'
import { event } from '../core/event.ts'
import { chain } from '../core/fields.ts'
import { chainLog, inBlock } from './log.ts'

const seenLog = {
  /** `<network>:<blockHash>:<logIndex>`: one per log and branch. The log itself is network, txHash and logPosition. */
  logId: z.string(),
  network: chain,
  ...chainLog.shape,
  ...inBlock,
}

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
/** As bytes32 in the platform's events, as a number in those of the ERC. */
const jobId = z.string().regex(/^(0x[0-9a-fA-F]{64}|\d{1,78})$/)
const commerceEvents = [
  'JobCreated',
  'ProviderSet',
  'BudgetSet',
  'JobFunded',
  'JobAssigned',
  'JobSubmitted',
  'JobSettled',
  'JobDisputed',
  'JobCancelled',
  'JobRejected',
] as const
const integer = z.string().regex(/^\d{1,78}$/)
const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/)
/** Arguments of the events whose readers need each of them: what lacks one is malformed. */
const argsOf: Readonly<Record<string, z.ZodType<Record<string, unknown>, Record<string, unknown>>>> = {
  ...Object.fromEntries(commerceEvents.map(name => [`Commerce.${name}`, z.looseObject({ jobId })])),
  'USDC.Transfer': z.looseObject({ from: address, to: address, value: integer }),
  'IdentityRegistry.Transfer': z.looseObject({ from: address, to: address, tokenId: integer }),
  'Escrow.EscrowLocked': z.looseObject({ key: bytes32, poster: address, payee: address, amount: integer }),
  'Escrow.EscrowReclaimed': z.looseObject({ key: bytes32, slot: bytes32, amount: integer }),
  'Escrow.EscrowReleased': z.looseObject({ key: bytes32, net: integer, fee: integer, splitAmount: integer }),
  'Escrow.EscrowRefunded': z.looseObject({ key: bytes32, slot: bytes32 }),
  'Bond.BondDeposited': z.looseObject({ agent: address, from: address, amount: integer }),
  'Bond.BondWithdrawn': z.looseObject({ agent: address, to: address, amount: integer }),
  'Bond.BondUnlocked': z.looseObject({ agent: address, gigId: bytes32 }),
  'DomainRegistry.Transfer': z.looseObject({ from: address, to: address, tokenId: integer }),
}

/** Contract events that services receive, decoded: the producer's side of `chain.event.<Contract>.<Event>`. */
export const chainEvent = (contract: string, name: string) =>
  event(
    `chain.event.${contract}.${name}`,
    'logId',
    `${contract} emitted ${name}`,
    {
      ...seenLog,
      args: argsOf[`${contract}.${name}`] ?? seenLog.args,
      /** false: seen at depth 0. true: final, comes a second time; money consumers act on this one only. */
      final: z.boolean(),
    },
    'internal',
  )
export const chainEventRemoved = event(
  'chain.event.removed',
  'logId',
  'The block of a contract event that was seen before is dropped',
  seenLog,
  'internal',
)

/** The events of our contracts that services receive (behaviour 13, 15). */
export const watchedContractEvents = {
  USDC: ['Transfer'],
  IdentityRegistry: ['Registered', 'Transfer'],
  Card: ['Transfer'],
  Escrow: ['EscrowLocked', 'EscrowAccepted', 'EscrowReclaimed', 'PayeeSet', 'EscrowReleased', 'EscrowRefunded', 'EscrowDisputed'],
  Bond: ['BondDeposited', 'BondWithdrawn', 'BondLocked', 'BondUnlocked', 'BondSlashed', 'BondUnslashed'],
  SwarmValidator: ['ValidationCreated', 'CandidateReplaced', 'VoteCast', 'ValidationResolved', 'RewardPaid'],
  Commerce: commerceEvents,
  DomainRegistry: ['Transfer'],
  ReputationAdapter: ['ScoreUpdated'],
} as const

/** Every watched event, declared: the AsyncAPI document and the producer's checks walk this table. */
export const contractEvents = Object.fromEntries(
  Object.entries(watchedContractEvents).flatMap(([contract, names]) =>
    names.map(name => [`${contract}.${name}`, chainEvent(contract, name)] as const),
  ),
)
