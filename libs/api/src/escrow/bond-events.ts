import { z } from 'zod'
import { namesOf } from '../core/audience.ts'
import { event } from '../core/event.ts'
import { chain, id, micro, timestamp, walletOut } from '../core/fields.ts'
import { bondStatus, bondTier } from '../core/terms.ts'
import { slashStatus } from './records.ts'

/** Totals of the bond as they are after the change. */
const bondFacts = {
  agentId: id,
  bondEventId: id,
  amount: micro,
  chain,
  totalBonded: micro,
  availableBond: micro,
  lockedBond: micro,
  slashedBond: micro,
  bondTier,
  bondStatus,
  gigId: id.nullable(),
  txHash: z.string().nullable(),
  changedAt: timestamp,
}
export const bondDeposited = event(
  'escrow.bond.deposited',
  'agentId',
  'Stake was added',
  { ...bondFacts, from: walletOut },
  { everyone: namesOf(bondFacts), parties: ['agentId'] },
)
export const bondWithdrawn = event(
  'escrow.bond.withdrawn',
  'agentId',
  'Free stake was withdrawn',
  { ...bondFacts, to: walletOut },
  { everyone: namesOf(bondFacts), parties: ['agentId'] },
)
export const bondLocked = event(
  'escrow.bond.locked',
  'agentId',
  'Stake is locked on chain for a gig',
  { ...bondFacts, gigId: id },
  { everyone: namesOf(bondFacts) },
)
export const bondUnlocked = event(
  'escrow.bond.unlocked',
  'agentId',
  'The lock for a gig has ended',
  {
    ...bondFacts,
    gigId: id,
    /** Ended without a slash. */
    clean: z.boolean(),
  },
  { everyone: [...namesOf(bondFacts), 'clean'] },
)
export const bondLockFailed = event(
  'escrow.bond.lock-failed',
  'agentId',
  'A lock failed for good, or a reorganisation of the chain undid it',
  {
    ...bondFacts,
    gigId: id,
    code: z.string(),
    /** The gig's lock had been reported as confirmed; an acceptance that waited for it has failed otherwise. */
    wasLocked: z.boolean(),
    /** It is requested again: `locked` or another `lock-failed` follows. */
    isLockedAgain: z.boolean(),
  },
  { everyone: [...namesOf(bondFacts), 'wasLocked', 'isLockedAgain'], parties: ['agentId'] },
)
const slashFacts = { ...bondFacts, slashId: id, validationId: id.nullable(), reason: z.string(), by: z.enum(['swarm', 'oracle', 'admin']) }
export const bondSlashed = event('escrow.bond.slashed', 'agentId', 'Stake was moved into the fee pool', slashFacts, {
  everyone: [...namesOf(bondFacts), 'slashId', 'validationId', 'by'],
  parties: ['agentId'],
})
export const slashReversed = event('escrow.bond.slash-reversed', 'agentId', 'The pool paid a slash back', slashFacts, {
  everyone: [...namesOf(bondFacts), 'slashId', 'validationId', 'by'],
  parties: ['agentId'],
})
export const bondWalletChanged = event(
  'escrow.bond.wallet-changed',
  'agentId',
  'Another wallet will receive withdrawals',
  {
    agentId: id,
    walletAddress: walletOut,
    effectiveAt: timestamp,
  },
  { parties: ['agentId'] },
)

export const slashRecorded = event(
  'escrow.slash.recorded',
  'slashId',
  'A slash row as it is now: frozen, applied, dropped or reversed',
  {
    slashId: id,
    agentId: id,
    gigId: id.nullable(),
    gigTitle: z.string().nullable(),
    gigBudget: micro.nullable(),
    validationId: id.nullable(),
    amount: micro,
    status: slashStatus,
    reason: z.string(),
    txHash: z.string().nullable(),
    createdAt: timestamp,
    changedAt: timestamp,
  },
  'internal',
)
