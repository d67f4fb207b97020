import { skilledAgentFacts } from '../agent-facts.ts'
import { bondDeposited, bondLocked, bondLockFailed, bondSlashed, bondUnlocked, bondWithdrawn, slashReversed } from '../escrow/bond-events.ts'
import { escrowDecided, escrowDisputed, escrowFailed, escrowLocked, escrowRefunded, escrowReleased, escrowRestated } from '../escrow/events.ts'
import { panelChanged, validationOpened } from '../swarm/events.ts'
import { applicationCreated, gigAssigned, gigCancelled, gigCompleted } from './events.ts'

/** What the marketplace service subscribes to. */
export const consumes = [
  ...skilledAgentFacts,
  bondDeposited,
  bondWithdrawn,
  bondLocked,
  bondLockFailed,
  bondUnlocked,
  bondSlashed,
  slashReversed,
  applicationCreated,
  gigAssigned,
  gigCancelled,
  gigCompleted,
  validationOpened,
  panelChanged,
  escrowDecided,
  escrowLocked,
  escrowReleased,
  escrowRefunded,
  escrowDisputed,
  escrowFailed,
  escrowRestated,
]
