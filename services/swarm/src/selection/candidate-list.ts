import type { ScoreChange, SeenAgent } from '@carapace/projections'
import { type CandidateFacts, isReputable } from './selection.ts'

/** An agent and its place in the list of candidates, when it has one. */
export type Listed = SeenAgent & { place?: number }

/** What the list of candidates needs to know of an agent. */
export const candidateFacts = ({ status, wallet, platform, fusedScore, riskScore, lastSeenAt }: SeenAgent): CandidateFacts => ({
  score: fusedScore,
  risk: riskScore,
  isActive: status === 'active' && wallet !== null,
  isPlatform: platform,
  lastSeenAt,
})

/** Whether a change of the score lets an agent join or leave. Of an early event, which does not say the risk before, that is unknown. */
export const mayMove = ({ fusedScore, previousScore, riskScore, previousRisk }: ScoreChange): boolean =>
  previousRisk === undefined || isReputable({ score: previousScore, risk: previousRisk }) !== isReputable({ score: fusedScore, risk: riskScore })

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
