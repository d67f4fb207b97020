import { dayMs } from '@carapace/api'
import { dueBy, eachDue, type Job, restAfter } from '@carapace/service'
import { compareFormulas } from './comparison.ts'
import { matureMarket } from './market.ts'
import type { Parts } from './parts.ts'
import { recomputeMany } from './record.ts'
import { pushDue } from './sync/sync.ts'

const dailyAtMs = 5 * 60_000

/** The latest 00:05 UTC. */
const lastDailyRun = (now: Date): Date => new Date(Math.floor((now.getTime() - dailyAtMs) / dayMs) * dayMs + dailyAtMs)

const pageSize = 50

/**
 * Page by page: however many agents there are, few are held in memory, and what else this process does has the most of its time.
 * @returns whether all were computed; not where the process ends
 */
async function recomputeAll(parts: Parts, ending: AbortSignal): Promise<boolean> {
  for (let after = ''; ; ) {
    const began = performance.now()
    const page = await parts.scores.find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit: pageSize })
    const present = page.filter(({ status }) => status !== 'migrated')
    // one that cannot be computed fails its whole page: then each is computed alone
    await recomputeMany(parts, present).catch(() => eachDue(parts.log, present, doc => recomputeMany(parts, [doc])))
    if (page.length < pageSize) return true
    after = page.at(-1)!.id
    if (!(await restAfter(performance.now() - began, ending))) return false
  }
}

/** Until it has happened: it happens once. */
function marketJob(parts: Parts): Job {
  let hasMatured = false
  return {
    name: 'maturity of the market',
    everyMs: 60_000,
    run: async () => {
      if (!hasMatured) hasMatured = await matureMarket(parts)
    },
  }
}

export const jobs = (parts: Parts): Job[] => [
  marketJob(parts),
  { name: 'scores for the networks', everyMs: 5_000, due: dueBy(parts.scores, 'syncDueAt'), run: now => pushDue(parts, now) },
  {
    name: 'scores of a new day',
    everyMs: 60_000,
    run: async (now, ending) => {
      const state = parts.db.connection.collection<{ _id: string; at: Date }>('platform')
      const due = lastDailyRun(now)
      const last = await state.findOne({ _id: 'daily' })
      if (last && last.at >= due) return
      if (!(await recomputeAll(parts, ending))) return
      await compareFormulas(parts)
      await state.updateOne({ _id: 'daily' }, { $set: { at: due } }, { upsert: true })
    },
  },
]
