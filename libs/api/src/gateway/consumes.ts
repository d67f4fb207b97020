import { outcomesOf } from '../chain-relayer/outcomes.ts'
import { agentRegistered, agentStatusChanged, agentUpdated, identitySnapshot } from '../identity/events.ts'

/** What the gateway subscribes to. */
export const consumes = [
  agentRegistered,
  agentStatusChanged,
  agentUpdated,
  identitySnapshot,
  ...outcomesOf(['faucet.mint', 'faucet.gas'], ['submitted', 'confirmed', 'failed']),
]
