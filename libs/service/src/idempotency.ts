import { createHash } from 'node:crypto'
import { limits, refuse } from '@carapace/api'
import { type Database, duplicateIndex } from '@carapace/store'

interface Kept {
  _id: string
  fingerprint: string
  /** Set once the first request has ended. */
  answer?: StoredAnswer
  /** A request that died leaves its claim; after this it may be taken over. */
  claimedUntil: Date
  expireAt: Date
}

export interface StoredAnswer {
  status: number
  body: string
}

export interface Idempotency {
  /**
   * Claims a key. Resolves to the stored answer of an earlier equal request, or undefined when this one is to run.
   * @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS
   */
  claim(id: string, fingerprint: string): Promise<StoredAnswer | undefined>
  keep(id: string, answer: StoredAnswer): Promise<void>
  /** Gives the key back: the next equal request runs again, with the same operation id. */
  release(id: string): Promise<void>
}

const claimMs = 30_000

/** Idempotency keys live beside what they protect, in the service's own database (docs/decisions). */
export async function openIdempotency(db: Database): Promise<Idempotency> {
  const kept = db.connection.collection<Kept>('idempotency')
  await kept.createIndex({ expireAt: 1 }, { name: 'expire', expireAfterSeconds: 0 })
  const claimFields = () => ({ claimedUntil: new Date(Date.now() + claimMs), expireAt: new Date(Date.now() + limits.idempotencyTtlMs) })

  return {
    claim: async (id, fingerprint) => {
      try {
        await kept.insertOne({ _id: id, fingerprint, ...claimFields() })
        return undefined
      } catch (error) {
        if (duplicateIndex(error) === undefined) throw error
      }
      const earlier = await kept.findOne({ _id: id })
      if (earlier && earlier.fingerprint !== fingerprint) refuse('IDEMPOTENCY_KEY_REUSED')
      if (earlier?.answer) return earlier.answer
      const taken = await kept.updateOne({ _id: id, answer: { $exists: false }, claimedUntil: { $lt: new Date() } }, { $set: claimFields() })
      if (taken.modifiedCount === 0) refuse('IDEMPOTENCY_IN_PROGRESS', undefined, { retryAfter: 1 })
      return undefined
    },
    keep: async (id, answer) => {
      await kept.updateOne({ _id: id }, { $set: { answer } })
    },
    release: async id => {
      await kept.updateOne({ _id: id }, { $set: { claimedUntil: new Date(0) } })
    },
  }
}

/** Scope and key of a request as one id; it is the operation id too, so that a retry carries the same operation on. */
export function operationIdOf(scope: { caller: string; method: string; path: string; key: string }): string {
  return createHash('sha256').update(`${scope.caller}\n${scope.method}\n${scope.path}\n${scope.key}`).digest('hex')
}

/**
 * The id of the record that an operation makes: the same Idempotency-Key leads to the same record, also when the first request died before its
 * answer was kept. Of an operation without a key it is a new id.
 */
export function recordIdOf(operationId: string): string {
  if (operationId.includes('-')) return operationId
  const hex = operationId.slice(0, 32)
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-')
}

export function fingerprintOf(body: unknown): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('base64url')
}
