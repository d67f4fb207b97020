import type { SeenAgent } from '@carapace/projections'
import { maxRisk, minScore, seenWithinMs } from './selection.ts'

/** An agent and its place in the list of candidates, when it has one. */
export type Listed = SeenAgent & { place?: number }

/** Whether the agent belongs in the list of candidates: what of the rules of a draw does not depend on the gig. */
export function isCandidate({ status, wallet, platform, fusedScore, riskScore, lastSeenAt }: SeenAgent, now: Date): boolean {
  return (
    status === 'active' &&
    wallet !== null &&
    !platform &&
    fusedScore >= minScore &&
    riskScore <= maxRisk &&
    now.getTime() - lastSeenAt.getTime() <= seenWithinMs
  )
}

/** One change of the list, named by the version that it made. */
export interface ListChange {
  version: number
  place: number
  /** Who has the place from this version on; null: it was the last place, and the list ends before it now. */
  agentId: string | null
  /** Who left the list with this change. */
  leftAgentId: string | null
  /** Places of the list from this version on. */
  size: number
  at: Date
}
