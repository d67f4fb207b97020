import { agentFacts } from '../agent-facts.ts'
import { chainCommandConfirmed, chainCommandFailed, chainCommandReorged, chainCommandSubmitted } from '../chain-relayer/events.ts'
import {
  bondDeposited,
  bondSlashed,
  bondWithdrawn,
  escrowDecided,
  escrowReleased,
  escrowRestated,
  rewardFailed,
  rewardFunded,
  rewardPaid,
  slashReversed,
} from '../escrow/events.ts'
import { crewChanged, gigCancelled, gigSubmitted } from '../marketplace/events.ts'

/** What the swarm service subscribes to. */
export const consumes = [
  ...agentFacts,
  crewChanged,
  bondDeposited,
  bondWithdrawn,
  bondSlashed,
  slashReversed,
  escrowReleased,
  escrowRestated,
  gigSubmitted,
  escrowDecided,
  rewardFunded,
  rewardPaid,
  rewardFailed,
  chainCommandConfirmed,
  chainCommandSubmitted,
  chainCommandFailed,
  gigCancelled,
  chainCommandReorged,
]
