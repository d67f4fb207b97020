import { newAgentScore, reputationApi, reputationSnapshot, type ScoreRow, scoreChanged } from '@carapace/api'
import { on, type Platform, type Subscription } from '@carapace/service'
import { duplicateIndex, gathered } from '@carapace/store'

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
  /** The score of each of these agents, in one read. */
  scoresOf(agentIds: readonly string[]): Promise<(agentId: string) => number>
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

/** The score of agents, and how they perform, as it says, with the last hundred values. */
export function performanceStore({ db, peers }: Pick<Platform, 'db' | 'peers'>): Performances {
  const rows = db.collection<Performance & { _id: string; version: number }>('performances')
  /** Events of one moment are one write. */
  const add = gathered(async (all: readonly News[]) => {
    const updates = all.map(({ agentId, components, fusedScore, totalGigsCompleted, computedAt, version }) => {
      const entry = { performanceScore: components.gigPerformance, at: new Date(computedAt) }
      const $push = { history: { $each: [entry], $slice: -historyLength } }
      const update = { $set: { components, fusedScore, totalGigsCompleted, version }, $push }
      return { updateOne: { filter: { _id: agentId, version: { $lt: version } }, update, upsert: true } }
    })
    try {
      await rows.bulkWrite(updates, { ordered: false })
    } catch (error) {
      // a newer version of it is there already; of several each is tried alone
      if (duplicateIndex(error) === undefined || all.length > 1) throw error
    }
    return all.map(() => undefined)
  })
  const of = async (agentId: string) => (await rows.findOne({ _id: agentId })) ?? inactive
  return {
    subscriptions: [
      on(scoreChanged, (score, event) => add({ ...score, version: event.aggregateversion })),
      on(reputationSnapshot, ({ version, row }) => add({ ...(row as unknown as ScoreRow), version })),
    ],
    of,
    scoresOf: async agentIds => {
      const found = await rows.find({ _id: { $in: [...agentIds] } }, { projection: { fusedScore: 1 } }).toArray()
      const scores = new Map(found.map(({ _id, fusedScore }) => [_id, fusedScore]))
      return agentId => scores.get(agentId) ?? newAgentScore.fusedScore
    },
    sync: async agentId => {
      const row = await peers.find('reputation', reputationApi.internal.getScoreRow, { params: { agentId } })
      if (row) await add(row)
      return of(agentId)
    },
  }
}
