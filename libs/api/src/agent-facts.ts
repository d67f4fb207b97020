import {
  agentMigrated,
  agentRegistered,
  agentStatusChanged,
  agentUpdated,
  heartbeatRecorded,
  identitySnapshot,
  skillAttached,
  skillRemoved,
  skillVerified,
} from './identity/events.ts'
import { reputationSnapshot, scoreChanged } from './reputation/events.ts'

/** What a service that stores a copy of all agents consumes (`agentProjection`). */
export const agentFacts = [
  agentRegistered,
  agentUpdated,
  agentStatusChanged,
  agentMigrated,
  heartbeatRecorded,
  skillAttached,
  skillRemoved,
  skillVerified,
  scoreChanged,
  identitySnapshot,
  reputationSnapshot,
]
