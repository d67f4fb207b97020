import {
  chainCommandConfirmed,
  chainCommandFailed,
  chainCommandReorged,
  chainCommandSubmitted,
  chainEvent,
  chainEventRemoved,
} from '../chain-relayer/events.ts'
import { domainActivated, domainDeleted, domainTransferred } from '../domains.ts'
import {
  bondDeposited,
  bondLocked,
  bondLockFailed,
  bondSlashed,
  bondUnlocked,
  bondWithdrawn,
  escrowReleased,
  escrowRestated,
  escrowSnapshot,
  slashReversed,
} from '../escrow/events.ts'
import { applicationCreated, gigCommented, gigSubmitted } from '../marketplace/events.ts'
import { reputationSnapshot, scoreChanged, tierChanged } from '../reputation/events.ts'
import { agentCommented, agentFollowed, agentUnfollowed } from '../social.ts'
import { voteRecorded } from '../swarm/events.ts'

/** What the identity service subscribes to. */
export const consumes = [
  scoreChanged,
  reputationSnapshot,
  bondDeposited,
  bondWithdrawn,
  bondLocked,
  bondLockFailed,
  bondUnlocked,
  bondSlashed,
  slashReversed,
  escrowSnapshot,
  domainActivated,
  domainTransferred,
  domainDeleted,
  agentFollowed,
  agentUnfollowed,
  chainEvent('IdentityRegistry', 'Transfer'),
  chainEventRemoved,
  chainCommandSubmitted,
  chainCommandConfirmed,
  chainCommandFailed,
  chainCommandReorged,
  applicationCreated,
  gigSubmitted,
  gigCommented,
  voteRecorded,
  agentCommented,
  escrowReleased,
  escrowRestated,
  tierChanged,
]
