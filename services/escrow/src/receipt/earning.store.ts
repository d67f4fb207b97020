import type { Chain, PageQuery } from '@carapace/api'
import { type Database, type Indexes, type Page, totalsOf } from '@carapace/store'

/** What an agent was paid for a gig or a job; micro-USDC. */
export interface Earning {
  agentId: string
  gigId: string | null
  jobId: string | null
  title: string
  net: bigint
  fee: bigint
  chain: Chain
  txHash: string | null
  completedAt: Date
}

export interface Earnings {
  /** One per gig or job: as it was paid in the end, for whom it was first credited to. */
  put(earning: Earning): Promise<void>
  /** The gig is not paid after all. */
  remove(gigId: string): Promise<void>
  /** What the source has earned, and will, counts for the target. */
  inherit(sourceAgentId: string, targetAgentId: string): Promise<void>
  page(agentId: string, page: PageQuery): Promise<Page<Earning>>
  /** Sum of the net of all. */
  total(agentId: string): Promise<bigint>
}

const indexes: Indexes = {
  agent_newest: { key: { agentId: 1, completedAt: -1, _id: -1 } },
}

export function earningStore(db: Database): Earnings {
  const rows = db.collection<Earning & { _id: string }>('earnings', indexes)
  const heirs = () => db.connection.collection<{ _id: string; targetAgentId: string }>('heirs')
  const totals = totalsOf(db, 'earnings')
  return {
    put: async ({ agentId, ...earned }) => {
      const heir = await heirs().findOne({ _id: agentId })
      const credited = { agentId: heir?.targetAgentId ?? agentId }
      await rows.updateOne({ _id: earned.gigId ?? earned.jobId! }, { $set: earned, $setOnInsert: credited }, { upsert: true })
      totals.forget()
    },
    remove: async gigId => {
      await rows.deleteOne({ _id: gigId })
      totals.forget()
    },
    inherit: async (sourceAgentId, targetAgentId) => {
      await heirs().updateOne({ _id: sourceAgentId }, { $set: { targetAgentId } }, { upsert: true })
      await rows.updateMany({ agentId: sourceAgentId }, { $set: { agentId: targetAgentId } })
      totals.forget()
    },
    page: (agentId, { limit, offset }) =>
      totals.page({ agentId }, { limit, offset }, () =>
        rows.find({ agentId }, { sort: { completedAt: -1, _id: -1 }, limit, skip: offset }).toArray(),
      ),
    total: async agentId => {
      const [sum] = await rows.aggregate<{ net: bigint }>([{ $match: { agentId } }, { $group: { _id: null, net: { $sum: '$net' } } }]).toArray()
      return BigInt(sum?.net ?? 0)
    },
  }
}
