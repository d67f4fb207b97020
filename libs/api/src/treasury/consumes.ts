import { agentFacts } from '../agent-facts.ts'
import {
  chainCommandConfirmed,
  chainCommandFailed,
  chainCommandFinalized,
  chainCommandSubmitted,
  chainEvent,
  chainEventRemoved,
} from '../chain-relayer/events.ts'
import { gigPosted, gigUpdated, marketplaceSnapshot } from '../marketplace/events.ts'

/** What the treasury service subscribes to. */
export const consumes = [
  ...agentFacts,
  gigPosted,
  gigUpdated,
  marketplaceSnapshot,
  chainEvent('USDC', 'Transfer'),
  chainCommandSubmitted,
  chainCommandConfirmed,
  chainCommandFailed,
  chainCommandFinalized,
  chainEventRemoved,
]
