import { seenAgentFacts } from '../agent-facts.ts'
import { outcomesOf } from '../chain-relayer/outcomes.ts'
import { jobCancelled, jobCorrected, jobRejected, jobSettled, jobSubmitted } from '../commerce/events.ts'
import { bondDeposited, bondSlashed, bondWithdrawn, slashReversed } from '../escrow/bond-events.ts'
import { escrowDecided, escrowReleased, escrowRestated, rewardFailed, rewardFunded, rewardPaid } from '../escrow/events.ts'
import { crewChanged, gigCancelled, gigSubmitted } from '../marketplace/events.ts'

/** What the swarm service subscribes to. */
export const consumes = [
  ...seenAgentFacts,
  crewChanged,
  bondDeposited,
  bondWithdrawn,
  bondSlashed,
  slashReversed,
  escrowReleased,
  escrowRestated,
  gigSubmitted,
  jobSubmitted,
  jobSettled,
  jobRejected,
  jobCancelled,
  jobCorrected,
  escrowDecided,
  rewardFunded,
  rewardPaid,
  rewardFailed,
  gigCancelled,
  ...outcomesOf(['swarm.open', 'swarm.replace', 'swarm.vote'], ['submitted', 'confirmed', 'failed', 'reorged']),
]
