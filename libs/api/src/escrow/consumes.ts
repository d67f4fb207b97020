import { agentFacts } from '../agent-facts.ts'
import { chainCommandConfirmed, chainCommandFailed, chainCommandReorged, chainEvent, chainEventRemoved } from '../chain-relayer/events.ts'
import { jobRejected, jobSettled } from '../commerce/events.ts'
import { gigAssigned, gigCancelled, gigPosted, gigSubmitted } from '../marketplace/events.ts'
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
import { treasurySnapshot, walletCreated } from '../treasury/events.ts'
import { bondLocked, bondLockFailed, bondSlashed, escrowDecided, escrowRefunded, escrowReleased, escrowRestated, slashReversed } from './events.ts'

/** What the escrow service subscribes to. */
export const consumes = [
  ...agentFacts,
  walletCreated,
  treasurySnapshot,
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
  chainCommandConfirmed,
  chainCommandFailed,
  chainCommandReorged,
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
  rewardAccrued,
  escrowRefunded,
  jobRejected,
  rewardClaimRequested,
]
