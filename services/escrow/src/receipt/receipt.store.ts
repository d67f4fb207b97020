import { Refusal, receiptIssued } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Stored } from '@carapace/store'
import { Schema } from 'mongoose'
import type { Receipt } from './receipt.ts'

const newest = { createdAt: -1, _id: -1 } as const
const schema = new Schema<Receipt>({
  gigId: String,
  posterId: String,
  assigneeId: String,
  partyIds: [String],
  budget: BigInt,
  platformFee: BigInt,
  netPaid: BigInt,
})
schema.index({ gigId: 1 }, { name: 'one_per_gig', unique: true })
schema.index({ posterId: 1, ...newest }, { name: 'poster_newest' })
schema.index({ assigneeId: 1, ...newest }, { name: 'assignee_newest' })
schema.index({ partyIds: 1, ...newest }, { name: 'party_newest' })

export type Receipts = Pick<AggregateStore<Receipt>, 'get' | 'need' | 'page'> & {
  ofGig(gigId: string): Promise<Stored<Receipt> | undefined>
  /** Stores the receipt of a gig, once for ever: the one that was first stays. */
  issue(receipt: Receipt): Promise<{ receipt: Stored<Receipt>; isNew: boolean }>
}

export function receiptStore(db: Database): Receipts {
  const receipts = aggregateStore<Receipt>(db, { collection: 'receipts', resource: 'receipt', schema, duplicates: { one_per_gig: 'ALREADY_EXISTS' } })
  const ofGig = async (gigId: string) => (await receipts.find({ gigId }, { limit: 1 }))[0]
  return {
    ...receipts,
    ofGig,
    issue: async receipt => {
      const known = await ofGig(receipt.gigId)
      if (known) return { receipt: known, isNew: false }
      const { id: receiptId, gigId, gigTitle, posterId, assigneeId } = receipt
      try {
        return {
          receipt: await receipts.create({ ...receipt, partyIds: [posterId, assigneeId] }, [
            receiptIssued.of({ receiptId, gigId, gigTitle, posterId, assigneeId }),
          ]),
          isNew: true,
        }
      } catch (error) {
        const first = error instanceof Refusal && error.code === 'ALREADY_EXISTS' ? await ofGig(receipt.gigId) : undefined
        if (!first) throw error
        return { receipt: first, isNew: false }
      }
    },
  }
}
