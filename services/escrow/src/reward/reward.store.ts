import { type Chain, refuse } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Indexes } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { type Booked, type Books, bookedOn } from '../books.ts'
import { fundingPostings } from './postings.ts'
import type { Reward, Source } from './reward.ts'

const rewardIndexes: Indexes = {
  gig: { key: { gigId: 1 } },
  job: { key: { jobId: 1 } },
  updated: { key: { updatedAt: 1 } },
  top_up_open: { key: { updatedAt: 1 }, partialFilterExpression: { isTopUpOpen: true } },
}

export type RewardStore = AggregateStore<Reward> & { ofSubject(id: string): Promise<Reward[]> }

/** The rewards of each validation; a funding is posted with the change that books it. */
export function rewardStore(db: Database, ledger: Books): RewardStore {
  const rewards = aggregateStore<Reward, Decision<Reward>, Booked>(db, {
    collection: 'rewards',
    resource: 'reward',
    optimistic: true,
    indexes: rewardIndexes,
    ledger,
    postings: (before, after) => (before ? bookedOn(after.chain, fundingPostings(before, after)) : []),
  })
  return { ...rewards, ofSubject: id => rewards.find({ $or: [{ gigId: id }, { jobId: id }] }) }
}

const sourceIndexes: Indexes = {
  poster: { key: { posterId: 1, chain: 1, kind: 1, endedAt: 1 } },
}

type Row = Omit<Source, 'id'> & { _id: string }
const sourceIn = ({ _id: id, ...row }: Row): Source => ({ id, ...row })
export interface Sources {
  /** Notes how a gig or job ended. Resolves to the source as it is then. */
  put(source: Omit<Source, 'used'>): Promise<Source>
  get(id: string, session?: ClientSession): Promise<Source | undefined>
  many(ids: readonly string[]): Promise<Map<string, Source>>
  /** @throws CONFLICT when the source is another one by now */
  use(source: Source, amount: bigint, session: ClientSession): Promise<void>
  /** Fees paid and rewards funded after refunds, of this poster on this network since then. Fundings of one poster run one after another. */
  ofPoster(posterId: string, chain: Chain, since: Date, session: ClientSession): Promise<{ fees: bigint; usedByRefunds: bigint }>
}

export function sourceStore(db: Database): Sources {
  const rows = db.collection<Row>('reward_sources', sourceIndexes)
  const posters = db.collection<{ _id: string; fundings: bigint }>('reward_turns')
  return {
    put: async ({ id, ...source }) => {
      const update = { $set: source, $setOnInsert: { used: 0n } }
      return sourceIn((await rows.findOneAndUpdate({ _id: id }, update, { upsert: true, returnDocument: 'after' }))!)
    },
    get: async (id, session) => {
      const row = await rows.findOne({ _id: id }, session ? { session } : {})
      return row ? sourceIn(row) : undefined
    },
    many: async ids => new Map((await rows.find({ _id: { $in: [...ids] } }).toArray()).map(row => [row._id, sourceIn(row)])),
    use: async ({ id, kind, fee, used }, amount, session) => {
      const { matchedCount } = await rows.updateOne({ _id: id, kind, fee, used }, { $inc: { used: amount } }, { session })
      if (matchedCount === 0) refuse('CONFLICT')
    },
    ofPoster: async (posterId, chain, since, session) => {
      // two concurrent fundings would both see the old sum: writing this row makes one of them start again
      await posters.updateOne({ _id: `${posterId}/${chain}` }, { $inc: { fundings: 1n } }, { upsert: true, session })
      const found = await rows.find({ posterId, chain, endedAt: { $gte: since } }, { session }).toArray()
      const sum = (kind: Source['kind'], field: 'fee' | 'used') =>
        found.filter(row => row.kind === kind).reduce((total, row) => total + row[field], 0n)
      return { fees: sum('fee', 'fee'), usedByRefunds: sum('refund', 'used') }
    },
  }
}
