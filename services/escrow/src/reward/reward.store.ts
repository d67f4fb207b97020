import type { Chain } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import { type ClientSession, Schema } from 'mongoose'
import type { Claim } from './claim.ts'
import type { Reward, Source } from './reward.ts'

const rewardSchema = new Schema<Reward>({ gigId: String, jobId: String, posterId: String, chain: String, isFunded: Boolean })
rewardSchema.index({ gigId: 1 }, { name: 'gig' })
rewardSchema.index({ jobId: 1 }, { name: 'job' })

export type RewardStore = AggregateStore<Reward> & { ofSubject(id: string): Promise<{ id: string }[]> }

export function rewardStore(db: Database): RewardStore {
  const rewards = aggregateStore<Reward>(db, { collection: 'rewards', resource: 'reward', schema: rewardSchema })
  return { ...rewards, ofSubject: id => rewards.find({ $or: [{ gigId: id }, { jobId: id }] }) }
}

const claimSchema = new Schema<Claim>({ validatorId: String, chain: String, amount: BigInt, status: String })
claimSchema.index({ status: 1, updatedAt: 1 }, { name: 'status_updated' })
export type ClaimStore = AggregateStore<Claim>
export const claimStore = (db: Database): ClaimStore => aggregateStore<Claim>(db, { collection: 'claims', resource: 'claim', schema: claimSchema })

const sourceSchema = new Schema(
  { _id: String, posterId: String, chain: String, kind: String, fee: BigInt, used: BigInt, endedAt: Date },
  { versionKey: false },
)
sourceSchema.index({ posterId: 1, chain: 1, kind: 1, endedAt: 1 }, { name: 'poster' })
const turnSchema = new Schema({ _id: String, turn: BigInt }, { versionKey: false })

type Row = Omit<Source, 'id'> & { _id: string }
export interface Sources {
  /** Notes how a gig or job ended. */
  put(source: Omit<Source, 'used'>): Promise<void>
  get(id: string, session?: ClientSession): Promise<Source | undefined>
  use(id: string, amount: bigint, session: ClientSession): Promise<void>
  /** Fees paid and rewards funded after refunds, of this poster on this network since then. Fundings of one poster take turns. */
  ofPoster(posterId: string, chain: Chain, since: Date, session: ClientSession): Promise<{ fees: bigint; usedByRefunds: bigint }>
}

export function sourceStore(db: Database): Sources {
  const rows = db.collection<Row>('reward_sources', sourceSchema)
  const turns = db.collection<{ _id: string; turn: bigint }>('reward_turns', turnSchema)
  return {
    put: async ({ id, ...source }) => {
      await rows.updateOne({ _id: id }, { $set: source, $setOnInsert: { used: 0n } }, { upsert: true })
    },
    get: async (id, session) => {
      const row = await rows.findOne({ _id: id }, session ? { session } : {})
      return row ? { ...row, id: row._id } : undefined
    },
    use: async (id, amount, session) => {
      await rows.updateOne({ _id: id }, { $inc: { used: amount } }, { session })
    },
    ofPoster: async (posterId, chain, since, session) => {
      // two fundings at once would both see the old sum: writing this row makes one of them start again
      await turns.updateOne({ _id: `${posterId}/${chain}` }, { $inc: { turn: 1n } }, { upsert: true, session })
      const found = await rows.find({ posterId, chain, endedAt: { $gte: since } }, { session }).toArray()
      const sum = (kind: Source['kind'], field: 'fee' | 'used') =>
        found.filter(row => row.kind === kind).reduce((total, row) => total + row[field], 0n)
      return { fees: sum('fee', 'fee'), usedByRefunds: sum('refund', 'used') }
    },
  }
}
