import { outcomesOf } from '../chain-relayer/outcomes.ts'
import { jobCancelled, jobCorrected, jobDisputed, jobRejected, jobSettled } from '../commerce/events.ts'
import { bondDeposited, bondSlashed, bondUnlocked, bondWithdrawn, slashRecorded, slashReversed } from '../escrow/bond-events.ts'
import { escrowDisputed, escrowFailed, escrowRefunded, escrowReleased, escrowRestated } from '../escrow/events.ts'
import {
  agentMigrated,
  agentOnchainConfirmed,
  agentRegistered,
  agentStatusChanged,
  agentUpdated,
  heartbeatRecorded,
  skillVerified,
} from '../identity/events.ts'
import { crewChanged } from '../marketplace/events.ts'
import { agentFollowed, agentUnfollowed, reviewPublished } from '../social/events.ts'
import { panelChanged, validationOpened, validationSuperseded, voteRecorded } from '../swarm/events.ts'

/** What the reputation service subscribes to. */
export const consumes = [
  agentRegistered,
  agentUpdated,
  agentStatusChanged,
  agentMigrated,
  agentOnchainConfirmed,
  heartbeatRecorded,
  skillVerified,
  escrowReleased,
  escrowRefunded,
  escrowRestated,
  escrowDisputed,
  escrowFailed,
  jobSettled,
  jobRejected,
  jobCancelled,
  jobDisputed,
  jobCorrected,
  slashRecorded,
  bondDeposited,
  bondWithdrawn,
  bondSlashed,
  slashReversed,
  bondUnlocked,
  validationOpened,
  panelChanged,
  voteRecorded,
  crewChanged,
  validationSuperseded,
  agentFollowed,
  agentUnfollowed,
  reviewPublished,
  ...outcomesOf(['score.sync'], ['confirmed', 'failed']),
]
