import type { PayloadOf } from './core/event.ts'
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

/** And with their skills and avatars (`shownAgentProjection`). */
export const skilledAgentFacts = [...agentFacts, skillAttached, skillRemoved, skillVerified]

/** And with when they were last seen (`seenAgentProjection`). */
export const seenAgentFacts = [...skilledAgentFacts, heartbeatRecorded]

/** Whether score, tier, risk or judgement are others than before: an agent of which nothing was received has those of `newAgentScore`. */
export const isScoreMoved = (
  changed: Pick<PayloadOf<typeof scoreChanged>, 'fusedScore' | 'previousScore' | 'riskScore' | 'previousRisk' | 'judgement' | 'previousJudgement'>,
): boolean =>
  changed.fusedScore !== changed.previousScore || changed.riskScore !== changed.previousRisk || changed.judgement !== changed.previousJudgement
