import { createHash, randomUUID } from 'node:crypto'
import { limits, refuse } from '@carapace/api'
import { type Database, duplicateIndex, wallClock } from '@carapace/store'
import { startJobs } from '../jobs/jobs.ts'
import type { Logger } from '../telemetry/log.ts'

interface StoredKey {
  _id: string
  fingerprint: string
  /** The process that runs the request. Only the present owner may store an answer or release the key. */
  owner: string
  /** Set once the first request has ended. */
  answer?: StoredAnswer
  /** Its owner renews it while the request runs; past it the owner is dead, and the key may be claimed by another. */
  claimedUntil: Date
  expireAt: Date
}

export interface StoredAnswer {
  status: number
  body: string
}

export interface Idempotency {
  /**
   * Claims a key for this process. Resolves to the stored answer of an earlier equal request, or undefined when this one is to run; its caller
   * then ends the claim by `save` or `release`.
   * @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS
   */
  claim(id: string, fingerprint: string): Promise<StoredAnswer | undefined>
  /** Stores the answer, unless another process has claimed the key since. */
  save(id: string, answer: StoredAnswer): Promise<void>
  /** Releases the key: the next equal request runs again, with the same operation id. */
  release(id: string): Promise<void>
  /** Ends the renewals and releases what still runs. */
  close(): Promise<void>
}

const leaseMs = 4_000
/** Nobody's: a renewal that was sent before it finds a claim of its process no more. */
const free = () => ({ owner: '', claimedUntil: new Date(0) })
const renewEveryMs = 1_000

/**
 * Idempotency keys live in the database of the service whose effects they protect (docs/decisions). A claim is a lease: renewed while its request
 * runs, however long that lasts, and free at most 4 s after its process died. A process never claims a key that it runs itself, so a blocked event
 * loop costs nothing there; where another replica claims the key of a process that was blocked, the first can no longer store an answer, and both
 * run the same operation id. Clocks of replicas are expected to agree within 2 s.
 */
export function openIdempotency(db: Database, log: Logger): Idempotency {
  const keys = db.collection<StoredKey>('idempotency', { expire: { key: { expireAt: 1 }, expireAfterSeconds: 0 } })
  const owner = randomUUID()
  /** Requests that run in this process: id → fingerprint. */
  const running = new Map<string, string>()
  const lease = () => ({ owner, claimedUntil: new Date(Date.now() + leaseMs), expireAt: new Date(Date.now() + limits.idempotencyTtlMs) })

  const claimStored = async (id: string, fingerprint: string): Promise<StoredAnswer | undefined> => {
    try {
      await keys.insertOne({ _id: id, fingerprint, ...lease() })
      return undefined
    } catch (error) {
      if (duplicateIndex(error) === undefined) throw error
    }
    const earlier = await keys.findOne({ _id: id })
    if (earlier && earlier.fingerprint !== fingerprint) refuse('IDEMPOTENCY_KEY_REUSED')
    if (earlier?.answer) return earlier.answer
    const claimed = await keys.updateOne({ _id: id, answer: { $exists: false }, claimedUntil: { $lt: new Date() } }, { $set: lease() })
    if (claimed.modifiedCount === 0) refuse('IDEMPOTENCY_IN_PROGRESS', undefined, { retryAfter: 1 })
    return undefined
  }
  const end = async (id: string, change: { answer: StoredAnswer } | ReturnType<typeof free>) => {
    // renewed until the write is through: else another could claim the key of an operation that has just ended
    await keys.updateOne({ _id: id, owner }, { $set: change }).finally(() => running.delete(id))
  }
  const renewal = startJobs(
    [
      {
        name: 'idempotency leases',
        everyMs: renewEveryMs,
        run: async () => {
          if (running.size > 0) await keys.updateMany(unended([...running.keys()], owner), { $set: lease() })
        },
      },
    ],
    wallClock,
    log,
  )

  return {
    claim: async (id, fingerprint) => {
      const present = running.get(id)
      if (present !== undefined) refuse(present === fingerprint ? 'IDEMPOTENCY_IN_PROGRESS' : 'IDEMPOTENCY_KEY_REUSED', undefined, { retryAfter: 1 })
      const earlier = await claimStored(id, fingerprint)
      if (earlier === undefined) running.set(id, fingerprint)
      return earlier
    },
    save: (id, answer) => end(id, { answer }),
    release: id => end(id, free()),
    close: async () => {
      await renewal.close()
      if (running.size > 0) await keys.updateMany(unended([...running.keys()], owner), { $set: free() })
    },
  }
}

const unended = (ids: string[], owner: string) => ({ _id: { $in: ids }, owner, answer: { $exists: false } })

/** Scope and key of a request as one id; it is the operation id too, so that a retry carries the same operation on. */
export function operationIdOf(scope: { caller: string; method: string; path: string; key: string }): string {
  return createHash('sha256').update(`${scope.caller}\n${scope.method}\n${scope.path}\n${scope.key}`).digest('hex')
}

/**
 * The id of the record that an operation makes: the same Idempotency-Key leads to the same record, also when the first request died before its
 * answer was saved. Of an operation without a key it is a new id.
 */
export function recordIdOf(operationId: string): string {
  if (operationId.includes('-')) return operationId
  const hex = operationId.slice(0, 32)
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-')
}

/** Of a body, and of the fields of the query that the endpoint declares, where some are sent: they name what the request is about as the body does. */
export function fingerprintOf(body: unknown, query: Readonly<Record<string, unknown>> = {}): string {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined)
  const named = sent.length === 0 ? '' : `\n${JSON.stringify(sent.map(([name, value]) => [name, String(value)]))}`
  return createHash('sha256')
    .update(JSON.stringify(body) + named)
    .digest('base64url')
}
