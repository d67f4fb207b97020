import type { Database } from '@carapace/store'
import type { Candidate } from './selection.ts'

/** A candidate that a draw has read, with the facts that it was judged by. */
export interface ReadCandidate extends Candidate {
  place: number
  isEligible: boolean
  /** Absent in early records. */
  wallet?: string
}

/** Everything that a panel follows from: with it and the log of the list anybody draws the same order again. */
export interface DrawRecord {
  submissionId: string
  /** Of the last Base block that was known. */
  headHash: string
  /** Absent in early records, whose beacon has none. */
  salt?: string
  beacon: string
  listVersion: number
  listSize: number
  drawnAt: Date
  requiredSkills: readonly string[]
  /** In the order in which they were read. */
  read: readonly ReadCandidate[]
  /** Of poster, assignee and its crew. Absent in early records. */
  partyWallets?: readonly string[]
}

/** What a panel is drawn for. */
export interface DrawnCase {
  submissionId: string
  round: number
  /** The validation that an appeal is against; null of one that is no appeal. */
  appealOf: string | null
}

export interface DrawStore {
  /**
   * The first that is stored for a case is its draw, with head and salt: nobody can draw again, by a retry, in another process or with another id for
   * the validation.
   * @returns the one that is stored
   */
  saveOnce(of: DrawnCase, draw: DrawRecord): Promise<DrawRecord>
  get(validation: DrawnCase & { id: string }): Promise<DrawRecord | undefined>
}

const idOf = ({ submissionId, round, appealOf }: DrawnCase) => `${submissionId}:${appealOf === null ? round : 'appeal'}`

/** They are no part of their validation: it is written often, and they are large. */
export function drawStore(db: Database): DrawStore {
  const rows = db.collection<DrawRecord & { _id: string }>('draws')
  return {
    saveOnce: async (of, draw) => {
      const _id = idOf(of)
      const { upsertedCount } = await rows.updateOne({ _id }, { $setOnInsert: { ...draw, read: [...draw.read] } }, { upsert: true })
      return upsertedCount === 1 ? draw : (await rows.findOne({ _id }))!
    },
    // early ones have the id of their validation
    get: async validation => (await rows.findOne({ _id: { $in: [idOf(validation), validation.id] } })) ?? undefined,
  }
}
