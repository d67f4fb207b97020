import { chainCommandConfirmed, chainCommandFailed } from '../chain-relayer/events.ts'
import {
  bondDeposited,
  bondSlashed,
  bondUnlocked,
  bondWithdrawn,
  escrowDisputed,
  escrowFailed,
  escrowRefunded,
  escrowReleased,
  escrowRestated,
  slashRecorded,
  slashReversed,
} from '../escrow/events.ts'
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
import { panelChanged, validationOpened, validationResolved, validationSuperseded, voteRecorded } from '../swarm/events.ts'

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
  slashRecorded,
  bondDeposited,
  bondWithdrawn,
  bondSlashed,
  slashReversed,
  bondUnlocked,
  validationOpened,
  panelChanged,
  voteRecorded,
  validationResolved,
  crewChanged,
  chainCommandConfirmed,
  chainCommandFailed,
  validationSuperseded,
]
