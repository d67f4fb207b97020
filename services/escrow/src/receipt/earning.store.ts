import type { Chain, PageQuery } from '@carapace/api'
import { type Database, duplicateIndex, type Indexes, type Page, totalsOf } from '@carapace/store'
import type { mongo } from 'mongoose'

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

export type GigEarning = Earning & { gigId: string }
export type JobEarning = Earning & { jobId: string }

export interface Earnings {
  /** One per gig or job: as it was paid in the end, for whom it was first credited to. */
  put(earning: GigEarning): Promise<void>
  /** The gig is not paid after all. */
  remove(gigId: string): Promise<void>
  /** As `put`; `version` is that of the job whose event says so: what an earlier one says, which may arrive later, changes nothing. */
  putOfJob(earning: JobEarning, version: number): Promise<void>
  /** The job is not paid after all. */
  removeOfJob(jobId: string, version: number): Promise<void>
  /** What the source has earned, and will, counts for the target. */
  inherit(sourceAgentId: string, targetAgentId: string): Promise<void>
  page(agentId: string, page: PageQuery): Promise<Page<Earning>>
  /** Sum of the net of all. */
  total(agentId: string): Promise<bigint>
}

const indexes: Indexes = {
  agent_newest: { key: { agentId: 1, completedAt: -1, _id: -1 } },
  former_agent: { key: { formerAgentId: 1 }, partialFilterExpression: { formerAgentId: { $exists: true } } },
}

/** Of a job whose payment was reversed nothing is listed: the row has no agent, and says which event did so and who is credited when it is paid again. */
type Row = Earning & { _id: string; version?: number; formerAgentId?: string }

export function earningStore(db: Database): Earnings {
  const rows = db.collection<Row>('earnings', indexes)
  const heirs = () => db.connection.collection<{ _id: string; targetAgentId: string }>('heirs')
  const totals = totalsOf(db, 'earnings')
  const creditedFor = async (agentId: string) => (await heirs().findOne({ _id: agentId }))?.targetAgentId ?? agentId
  /** Writes unless the row has this version or a later one. */
  const writeNews = async (_id: string, version: number, set: mongo.Document, unset: string) => {
    const update = [{ $set: { ...set, version } }, { $unset: unset }]
    const isOlder = { $not: { $gte: version } }
    try {
      await rows.updateOne({ _id, version: isOlder }, update, { upsert: true })
    } catch (error) {
      // the row exists: made at the same moment, or of a later version
      if (duplicateIndex(error) === undefined) throw error
      await rows.updateOne({ _id, version: isOlder }, update)
    }
    totals.forget()
  }
  return {
    put: async ({ agentId, ...earned }) => {
      const credited = { agentId: await creditedFor(agentId) }
      await rows.updateOne({ _id: earned.gigId }, { $set: earned, $setOnInsert: credited }, { upsert: true })
      totals.forget()
    },
    remove: async gigId => {
      await rows.deleteOne({ _id: gigId })
      totals.forget()
    },
    putOfJob: async ({ agentId, ...earned }, version) => {
      const literal = Object.fromEntries(Object.entries(earned).map(([field, value]) => [field, { $literal: value }]))
      const credited = { $ifNull: ['$agentId', '$formerAgentId', { $literal: await creditedFor(agentId) }] }
      await writeNews(earned.jobId, version, { ...literal, agentId: credited }, 'formerAgentId')
    },
    removeOfJob: (jobId, version) => writeNews(jobId, version, { formerAgentId: { $ifNull: ['$agentId', '$formerAgentId', '$$REMOVE'] } }, 'agentId'),
    inherit: async (sourceAgentId, targetAgentId) => {
      await heirs().updateOne({ _id: sourceAgentId }, { $set: { targetAgentId } }, { upsert: true })
      await rows.updateMany({ agentId: sourceAgentId }, { $set: { agentId: targetAgentId } })
      await rows.updateMany({ formerAgentId: sourceAgentId }, { $set: { formerAgentId: targetAgentId } })
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
