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
