import { newAgentScore, reputationApi, type ScoreRow, scoreChanged } from '@carapace/api'
import { on, type Platform, type Subscription } from '@carapace/service'
import { duplicateIndex } from '@carapace/store'

type Components = ScoreRow['components']
export interface Performance {
  components: Components
  fusedScore: number
  totalGigsCompleted: number
  history: { performanceScore: number; at: Date }[]
}

export interface Performances {
  subscriptions: Subscription[]
  /** The figures as last received; those of an agent without activity when nothing was. */
  of(agentId: string): Promise<Performance>
  /** Reads them from the owner again. @throws DEPENDENCY_UNAVAILABLE */
  sync(agentId: string): Promise<Performance>
}

const historyLength = 100
const inactive: Performance = {
  components: { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 },
  fusedScore: newAgentScore.fusedScore,
  totalGigsCompleted: 0,
  history: [],
}
type News = Pick<ScoreRow, 'agentId' | 'components' | 'fusedScore' | 'totalGigsCompleted' | 'computedAt' | 'version'>

/** How agents perform, as the score says, with the last hundred values. */
export function performanceStore({ db, peers }: Pick<Platform, 'db' | 'peers'>): Performances {
  const rows = db.collection<Performance & { _id: string; version: number }>('performances')
  const add = async ({ agentId, components, fusedScore, totalGigsCompleted, computedAt, version }: News) => {
    const entry = { performanceScore: components.gigPerformance, at: new Date(computedAt) }
    try {
      await rows.updateOne(
        { _id: agentId, version: { $lt: version } },
        { $set: { components, fusedScore, totalGigsCompleted, version }, $push: { history: { $each: [entry], $slice: -historyLength } } },
        { upsert: true },
      )
    } catch (error) {
      // a newer version is there already
      if (duplicateIndex(error) === undefined) throw error
    }
  }
  const of = async (agentId: string) => (await rows.findOne({ _id: agentId })) ?? inactive
  return {
    subscriptions: [on(scoreChanged, (score, event) => add({ ...score, version: event.aggregateversion }))],
    of,
    sync: async agentId => {
      const row = await peers.find('reputation', reputationApi.internal.getScoreRow, { params: { agentId } })
      if (row) await add(row)
      return of(agentId)
    },
  }
}
