import type { Database, Indexes } from '@carapace/store'
import { creditMs } from './payment.ts'

/** Answers of payments that bear an identifier, by the id of the payment: who lost one may fetch it again for a day. */
export interface Answers {
  get(id: string): Promise<Answer | undefined>
  set(id: string, answer: Answer): Promise<void>
}

export interface Answer {
  status: number
  /** JSON */
  text: string
}

type Row = Answer & { _id: string; at: Date }

const indexes: Indexes = { expiry: { key: { at: 1 }, expireAfterSeconds: creditMs / 1_000 } }

export function openAnswers(db: Database): Answers {
  const rows = db.collection<Row>('x402_answers', indexes)
  return {
    get: async id => {
      const row = await rows.findOne({ _id: id, at: { $gt: new Date(Date.now() - creditMs) } })
      return row ? { status: row.status, text: row.text } : undefined
    },
    set: async (id, { status, text }) => {
      await rows.updateOne({ _id: id }, { $set: { status, text, at: new Date() } }, { upsert: true })
    },
  }
}
