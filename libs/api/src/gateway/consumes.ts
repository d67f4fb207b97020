import { chainCommandConfirmed, chainCommandFailed, chainCommandSubmitted } from '../chain-relayer/events.ts'
import { agentRegistered, agentStatusChanged, agentUpdated, identitySnapshot } from '../identity/events.ts'

/** What the gateway subscribes to. */
export const consumes = [
  agentRegistered,
  agentStatusChanged,
  agentUpdated,
  identitySnapshot,
  chainCommandSubmitted,
  chainCommandConfirmed,
  chainCommandFailed,
]
