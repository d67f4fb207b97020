import type { Database } from '@carapace/store'

interface Row {
  _id: string
  /** When the reversal arrived. */
  at: Date
}

/** Gigs whose payment is reversed for good. They are few, and an event of the payment that arrives later must find them. */
export interface ReversedGigs {
  add(gigId: string): Promise<void>
  has(gigId: string): Promise<boolean>
}

export function reversedGigStore(db: Database): ReversedGigs {
  const rows = db.collection<Row>('undone_gigs')
  return {
    add: async gigId => {
      await rows.updateOne({ _id: gigId }, { $setOnInsert: { at: db.clock.now() } }, { upsert: true })
    },
    has: async gigId => (await rows.findOne({ _id: gigId })) !== null,
  }
}
