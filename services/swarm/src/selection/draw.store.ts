import type { Database } from '@carapace/store'
import type { Candidate } from './selection.ts'

/** A candidate that a draw has read, with the facts that it was judged by. */
export interface ReadCandidate extends Candidate {
  place: number
  isEligible: boolean
}

/** Everything that a panel follows from: with it and the log of the list anybody draws the same order again. */
export interface DrawRecord {
  submissionId: string
  /** Of the last Base block that was known. */
  headHash: string
  beacon: string
  listVersion: number
  listSize: number
  drawnAt: Date
  requiredSkills: readonly string[]
  /** In the order in which they were read. */
  read: readonly ReadCandidate[]
}

export interface DrawStore {
  /** Written once, before the validation of that id is made. */
  save(validationId: string, draw: DrawRecord): Promise<void>
  get(validationId: string): Promise<DrawRecord | undefined>
}

/** Draws by the id of their validation. They are no part of it: it is written often, and they are large. */
export function drawStore(db: Database): DrawStore {
  const rows = db.collection<DrawRecord & { _id: string }>('draws')
  return {
    save: async (validationId, draw) => {
      await rows.updateOne({ _id: validationId }, { $setOnInsert: { ...draw, read: [...draw.read] } }, { upsert: true })
    },
    get: async validationId => (await rows.findOne({ _id: validationId })) ?? undefined,
  }
}
