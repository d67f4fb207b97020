import { refuse, reputationApi, type ScoreRow } from '@carapace/api'
import { type AnyService, defineService } from '@carapace/service'

/** Stands in for the owner of scores: `scores` is what it would answer. */
export function reputationStub(scores: Map<string, ScoreRow>): AnyService {
  const { getScoreRow } = reputationApi.internal
  return defineService({
    api: { name: 'reputation', endpoints: {}, internal: { getScoreRow }, events: {} },
    stores: () => ({}),
    http: () => ({ getScoreRow: ({ params }: { params: { agentId: string } }) => scores.get(params.agentId) ?? refuse('NOT_FOUND') }) as never,
  })
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
