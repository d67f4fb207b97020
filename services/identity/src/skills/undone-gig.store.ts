import type { Database } from '@carapace/store'
import { Schema } from 'mongoose'

interface Row {
  _id: string
  /** When we heard of it. */
  at: Date
}

/** Gigs whose payment is undone for good. They are few, and whoever hears of such a payment only afterwards must know. */
export interface UndoneGigs {
  add(gigId: string): Promise<void>
  has(gigId: string): Promise<boolean>
}

export function undoneGigStore(db: Database): UndoneGigs {
  const rows = db.collection<Row>('undone_gigs', new Schema<Row>({ _id: String, at: Date }, { versionKey: false }))
  return {
    add: async gigId => {
      await rows.updateOne({ _id: gigId }, { $setOnInsert: { at: db.clock.now() } }, { upsert: true })
    },
    has: async gigId => (await rows.findOne({ _id: gigId })) !== null,
  }
}
