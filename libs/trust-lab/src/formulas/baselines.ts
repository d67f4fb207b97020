import { dayMs, scoreWeights } from '@carapace/api'
import type { Book, Formula } from './book.ts'
import { rankOf } from './rank.ts'

/** What the formulas of the textbooks count of an agent. */
interface Counts {
  settled: number
  failed: number
  ratings: number
  ratingSum: number
  bond: number
  since: number
}

/** A formula that reads plain counts of the agent alone. */
const ofCounts = (title: string, scoreOf: (counts: Counts, now: Date) => number): Formula => ({
  title,
  start: () => {
    const books = new Map<string, Counts>()
    const of = (agentId: string) => {
      const found = books.get(agentId)
      if (found) return found
      const fresh: Counts = { settled: 0, failed: 0, ratings: 0, ratingSum: 0, bond: 0, since: 0 }
      books.set(agentId, fresh)
      return fresh
    }
    const note: Book['note'] = (agentId, fact) => {
      const counts = of(agentId)
      if (fact.type === 'registered') counts.since = fact.at.getTime()
      if (fact.type === 'bond') counts.bond = Number(fact.total) / 1e6
      if (fact.type !== 'reviewed') return
      counts.ratings++
      counts.ratingSum += fact.rating
    }
    return {
      note,
      settled: ({ workerId }) => void of(workerId).settled++,
      failed: ({ workerId }) => void of(workerId).failed++,
      voted: () => {},
      inherit: (heirId, sourceId) => void books.set(heirId, { ...of(sourceId) }),
      score: (agentId, now) => scoreOf(of(agentId), now),
    }
  },
})

const beta = ofCounts('beta', ({ settled, failed }) => (100 * (settled + 1)) / (settled + failed + 2))
/** Stars with two reviews of three before the first one. */
const rating = ofCounts('rating', ({ ratings, ratingSum }) => 25 * ((ratingSum + 6) / (ratings + 2) - 1))
/** The four weights of the spec over the plainest reading of their names. */
const plain = ofCounts('plain', ({ settled, failed, ratings, ratingSum, bond, since }, now) => {
  const done = settled + failed
  const w =
    scoreWeights.gigPerformance * (done === 0 ? 0 : (100 * settled) / done) +
    scoreWeights.onChainBehaviour * Math.min(100, 2 * settled + (now.getTime() - since) / dayMs / 3) +
    scoreWeights.bondReliability * Math.min(100, bond / 5) +
    scoreWeights.ecosystemSignals * (ratings === 0 ? 0 : 25 * (ratingSum / ratings - 1))
  return 15 + 0.85 * w
})

/** PageRank over fees: trust flows from who pays to who is paid. Computed once a week, as a share of the best. */
const pageRank: Formula = {
  title: 'pagerank',
  start: () => {
    const paid = new Map<string, Map<string, number>>()
    let ranks: ReadonlyMap<string, number> = new Map()
    let rankedAt = Number.NEGATIVE_INFINITY
    return {
      note: () => {},
      failed: () => {},
      voted: () => {},
      inherit: (heirId, sourceId) => {
        for (const edges of paid.values()) if (edges.has(sourceId)) edges.set(heirId, edges.get(sourceId)!)
      },
      settled: ({ posterId, workerId, fee }) => {
        const edges = paid.get(posterId) ?? new Map<string, number>()
        edges.set(workerId, (edges.get(workerId) ?? 0) + Number(fee) / 1e6)
        paid.set(posterId, edges)
      },
      score: (agentId, now) => {
        if (now.getTime() - rankedAt >= 7 * dayMs) {
          ranks = rankOf(paid)
          rankedAt = now.getTime()
        }
        return ranks.get(agentId) ?? 0
      },
    }
  },
}

export const baselines: Record<string, Formula> = { beta, rating, pagerank: pageRank, plain }
