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
export const agentIdentity = [agentRegistered, agentUpdated, agentStatusChanged, agentMigrated, identitySnapshot]

/** And with their scores (`agentProjection`). */
export const agentFacts = [...agentIdentity, scoreChanged, reputationSnapshot]

/** And with their skills (`skilledAgentProjection`). */
export const skilledAgentFacts = [...agentFacts, skillAttached, skillRemoved, skillVerified]

/** And with when they were last seen (`seenAgentProjection`). */
export const seenAgentFacts = [...skilledAgentFacts, heartbeatRecorded]
