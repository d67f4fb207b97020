import { chainEvent, chainEventRemoved } from '../chain-relayer/events.ts'
import { outcomesOf } from '../chain-relayer/outcomes.ts'
import { jobApplied, jobCorrected, jobSettled, jobSubmitted } from '../commerce/events.ts'
import { domainActivated, domainDeleted, domainSynced, domainTransferred } from '../domains/events.ts'
import { bondDeposited, bondLocked, bondLockFailed, bondSlashed, bondUnlocked, bondWithdrawn, slashReversed } from '../escrow/bond-events.ts'
import { escrowReleased, escrowRestated, escrowSnapshot } from '../escrow/events.ts'
import { applicationCreated, gigCommented, gigSubmitted } from '../marketplace/events.ts'
import { reputationSnapshot, scoreChanged, tierChanged } from '../reputation/events.ts'
import { agentCommented, agentFollowed, agentUnfollowed } from '../social/events.ts'
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
  domainSynced,
  agentFollowed,
  agentUnfollowed,
  chainEvent('IdentityRegistry', 'Transfer'),
  chainEventRemoved,
  applicationCreated,
  gigSubmitted,
  gigCommented,
  voteRecorded,
  agentCommented,
  escrowReleased,
  escrowRestated,
  jobApplied,
  jobSubmitted,
  jobSettled,
  jobCorrected,
  tierChanged,
  ...outcomesOf(['identity.register', 'card.mint', 'gas.drip'], ['submitted', 'confirmed', 'failed', 'reorged']),
]
