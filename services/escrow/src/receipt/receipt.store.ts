import { receiptIssued, refuse } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Indexes, orExisting, type Stored } from '@carapace/store'
import type { Receipt } from './receipt.ts'

const newest = { createdAt: -1, _id: -1 } as const
const indexes: Indexes = {
  newest: { key: newest },
  one_per_gig: { key: { gigId: 1 }, unique: true },
  poster_newest: { key: { posterId: 1, ...newest } },
  assignee_newest: { key: { assigneeId: 1, ...newest } },
  party_newest: { key: { partyIds: 1, ...newest } },
}

const present = { isWithdrawn: { $ne: true } }

/** Receipts; one that is withdrawn is none. */
export type Receipts = Pick<AggregateStore<Receipt>, 'need' | 'page' | 'sums'> & {
  /** @throws NOT_FOUND */
  ofGig(gigId: string): Promise<Stored<Receipt>>
  /** The newest of an agent, as poster or assignee. */
  newestOf(agentId: string, limit: number): Promise<Stored<Receipt>[]>
  /** The one receipt that a gig can have, also while it is withdrawn. */
  everOf(gigId: string): Promise<Stored<Receipt> | undefined>
  /** Stores the receipt of a gig: the first one remains. */
  issue(receipt: Receipt): Promise<{ receipt: Stored<Receipt>; isNew: boolean }>
  /** What the receipt with this id says from now on. */
  amend(receipt: Receipt): Promise<Stored<Receipt>>
  /** Shows the receipt of a gig, if there is one, to nobody until it is amended. */
  withdraw(gigId: string): Promise<void>
}

function shown(receipt: Stored<Receipt> | undefined): Stored<Receipt> {
  if (!receipt) return refuse('NOT_FOUND', { resource: 'receipt' })
  if (receipt.isWithdrawn) refuse('NOT_FOUND', { resource: 'receipt' }, { message: 'This receipt is withdrawn: the chain has reversed the payment' })
  return receipt
}

export function receiptStore(db: Database): Receipts {
  const receipts = aggregateStore<Receipt>(db, {
    collection: 'receipts',
    resource: 'receipt',
    indexes,
    shareOf: ({ netPaid, isWithdrawn }) => ({ sums: { netPaid: isWithdrawn ? 0n : netPaid } }),
    duplicates: { one_per_gig: 'ALREADY_EXISTS' },
  })
  const everOf = async (gigId: string) => (await receipts.find({ gigId }, { limit: 1 }))[0]
  return {
    sums: () => receipts.sums(),
    need: async id => shown(await receipts.get(id)),
    page: (filter, page) => receipts.page({ ...filter, ...present }, page),
    newestOf: (agentId, limit) => receipts.find({ partyIds: agentId, ...present }, { limit }),
    ofGig: async gigId => shown(await everOf(gigId)),
    everOf,
    issue: async receipt => {
      const { id: receiptId, gigId, gigTitle, posterId, assigneeId } = receipt
      const issued = receiptIssued.of({ receiptId, gigId, gigTitle, posterId, assigneeId })
      const first = await orExisting(receipts.create({ ...receipt, partyIds: [posterId, assigneeId] }, [issued]), () => everOf(gigId))
      return { receipt: first, isNew: first.id === receiptId }
    },
    amend: receipt =>
      receipts.change(receipt.id, present =>
        present.contentHash === receipt.contentHash && !present.isWithdrawn ? undefined : { state: { ...present, ...receipt }, events: [] },
      ),
    withdraw: async gigId => {
      const issued = await everOf(gigId)
      if (issued)
        await receipts.change(issued.id, present => (present.isWithdrawn ? undefined : { state: { ...present, isWithdrawn: true }, events: [] }))
    },
  }
}
