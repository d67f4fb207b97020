import { refuse, reputationApi, type ScoreRow } from '@carapace/api'
import type { AnyService } from '@carapace/service'
import { stubPeer } from '@carapace/testing'

/** A stub of reputation that answers from `scores`. */
export function reputationStub(scores: Map<string, ScoreRow>): AnyService {
  return stubPeer(reputationApi, { getScoreRow: ({ params }) => scores.get(params.agentId) ?? refuse('NOT_FOUND') })
}

/** The score of an agent that has done one paid gig. */
export const settledOnce = (agentId: string): ScoreRow => ({
  agentId,
  fusedScore: 20,
  tier: 'Hatchling',
  riskScore: 0,
  riskLevel: 'low',
  components: { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 },
  badges: [],
  totalGigsCompleted: 1,
  totalEarned: '1000000',
  gigCompletionRate: 1,
  formulaVersion: '1',
  computedAt: '2026-01-01T00:00:00.000Z',
  version: 1,
})
