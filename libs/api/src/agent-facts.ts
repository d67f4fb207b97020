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

/** What a service that stores a copy of who all agents are consumes (`agentIdentities`). */
export const agentIdentity = [
  agentRegistered,
  agentUpdated,
  agentStatusChanged,
  agentMigrated,
  skillAttached,
  skillRemoved,
  skillVerified,
  identitySnapshot,
]

/** And with their scores (`agentProjection`). */
export const agentFacts = [...agentIdentity, scoreChanged, reputationSnapshot]

/** And with when they were last seen (`seenAgentProjection`). */
export const seenAgentFacts = [...agentFacts, heartbeatRecorded]
