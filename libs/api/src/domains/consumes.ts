import { agentFacts } from '../agent-facts.ts'
import { chainEvent, chainEventRemoved } from '../chain-relayer/events.ts'
import { outcomesOf } from '../chain-relayer/outcomes.ts'
import { treasurySnapshot, walletCreated, x402Arrived } from '../treasury/events.ts'

/** What the domains service subscribes to. */
export const consumes = [
  ...agentFacts,
  walletCreated,
  treasurySnapshot,
  x402Arrived,
  chainEvent('DomainRegistry', 'Transfer'),
  chainEventRemoved,
  ...outcomesOf(['domain.mint', 'domain.transfer', 'domain.burn'], ['submitted', 'confirmed', 'failed', 'reorged']),
]
