import { type Database, type WrittenSince, writtenSince } from '@carapace/store'

interface Row {
  _id: string
  /** When the reversal arrived. */
  at: Date
}

/** Gigs and jobs whose payment is reversed for good. They are few, and an event of the payment that arrives later must find them. */
export interface ReversedGigs {
  add(gigId: string): Promise<void>
  has(gigId: string): Promise<boolean>
  /** Whether one that was not there may have come since. */
  mayHaveCome: WrittenSince['mayBeWritten']
  moment: WrittenSince['moment']
}

export function reversedGigStore(db: Database): ReversedGigs {
  const rows = db.collection<Row>('undone_gigs')
  const written = writtenSince(db)
  return {
    add: async gigId => {
      await written.writing(gigId, () => rows.updateOne({ _id: gigId }, { $setOnInsert: { at: db.clock.now() } }, { upsert: true }))
    },
    moment: written.moment,
    mayHaveCome: written.mayBeWritten,
    has: async gigId => (await rows.findOne({ _id: gigId })) !== null,
  }
}
