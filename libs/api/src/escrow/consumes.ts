import { agentIdentity } from '../agent-facts.ts'
import { chainEvent, chainEventRemoved } from '../chain-relayer/events.ts'
import { outcomesOf } from '../chain-relayer/outcomes.ts'
import { jobCancelled, jobCorrected, jobRejected, jobSettled } from '../commerce/events.ts'
import { gigAssigned, gigCancelled, gigPosted, gigSubmitted } from '../marketplace/events.ts'
import { reputationSnapshot, scoreChanged } from '../reputation/events.ts'
import {
  appealClosed,
  appealFiled,
  panelChanged,
  rewardAccrued,
  rewardClaimRequested,
  slashFrozen,
  validationExpired,
  validationOpened,
  validationResolved,
} from '../swarm/events.ts'
import { treasurySnapshot, walletCreated, x402Arrived } from '../treasury/events.ts'
import { bondLocked, bondLockFailed, bondSlashed, slashReversed } from './bond-events.ts'
import { escrowDecided, escrowRefunded, escrowReleased, escrowRestated } from './events.ts'

/** What the escrow service subscribes to. */
export const consumes = [
  ...agentIdentity,
  scoreChanged,
  reputationSnapshot,
  walletCreated,
  treasurySnapshot,
  x402Arrived,
  gigPosted,
  gigAssigned,
  gigSubmitted,
  gigCancelled,
  validationOpened,
  panelChanged,
  validationResolved,
  validationExpired,
  appealFiled,
  appealClosed,
  chainEvent('Escrow', 'EscrowLocked'),
  chainEvent('Escrow', 'EscrowReclaimed'),
  chainEvent('Escrow', 'EscrowReleased'),
  chainEvent('Escrow', 'EscrowRefunded'),
  escrowDecided,
  bondLocked,
  bondLockFailed,
  slashFrozen,
  bondSlashed,
  slashReversed,
  chainEvent('Bond', 'BondDeposited'),
  chainEvent('Bond', 'BondWithdrawn'),
  chainEvent('Bond', 'BondUnlocked'),
  chainEventRemoved,
  escrowReleased,
  escrowRestated,
  jobSettled,
  jobCorrected,
  rewardAccrued,
  escrowRefunded,
  jobRejected,
  jobCancelled,
  rewardClaimRequested,
  ...outcomesOf(['escrow.lock', 'escrow.lock-x402', 'escrow.accept', 'escrow.settle'], ['confirmed', 'failed', 'reorged']),
  ...outcomesOf(['escrow.payee'], ['failed']),
  ...outcomesOf(
    ['bond.deposit', 'bond.withdraw', 'bond.lock', 'bond.unlock', 'bond.slash', 'bond.unslash', 'reward.pay'],
    ['confirmed', 'failed', 'reorged'],
  ),
]
