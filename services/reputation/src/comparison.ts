import { currentVersion, shadowVersion } from '@carapace/formula'
import type { Parts } from './parts.ts'

/** What would change if the other formula were in force, over all agents that have a score by both. */
export interface Comparison {
  _id: 'formulas'
  current: string
  shadow: string
  comparedAt: Date
  agents: number
  /** Points, absolute. */
  meanDifference: number
  largestDifference: number
  raised: number
  lowered: number
  tierChanges: number
}

const pageSize = 200
const comparisons = ({ db }: Parts) => db.connection.collection<Comparison>('platform')

/** Compares the formulas over all agents, and stores what it finds. */
export async function compareFormulas(parts: Parts): Promise<void> {
  let [agents, tenths, largest, raised, lowered, tierChanges] = [0, 0, 0, 0, 0, 0]
  for (let after = ''; ; ) {
    const page = await parts.scores.find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit: pageSize })
    for (const { fusedScore, tier, shadow, status } of page) {
      if (!shadow || status === 'migrated') continue
      const difference = Math.round(10 * (shadow.fusedScore - fusedScore))
      agents += 1
      tenths += Math.abs(difference)
      largest = Math.max(largest, Math.abs(difference))
      if (difference > 0) raised += 1
      if (difference < 0) lowered += 1
      if (shadow.tier !== tier) tierChanges += 1
    }
    if (page.length < pageSize) break
    after = page.at(-1)!.id
  }
  const found = {
    ...{ current: currentVersion, shadow: shadowVersion, comparedAt: parts.clock.now(), agents, largestDifference: largest / 10 },
    ...{ meanDifference: agents === 0 ? 0 : Math.round((10 * tenths) / agents) / 100, raised, lowered, tierChanges },
  }
  await comparisons(parts).updateOne({ _id: 'formulas' }, { $set: found }, { upsert: true })
}

/** The last comparison; null before the first. */
export const lastComparison = (parts: Parts): Promise<Comparison | null> => comparisons(parts).findOne({ _id: 'formulas' })
