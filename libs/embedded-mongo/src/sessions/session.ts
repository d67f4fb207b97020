import { createHash } from 'node:crypto'
import { Binary } from 'bson'
import { decode, encode } from '../bson/raw.ts'
import type { Storage } from '../storage/storage.ts'
import type { Txn } from '../storage/txn.ts'
import { fail } from '../values/errors.ts'
import { asNumber, type Doc, isDoc, isNumeric } from '../values/values.ts'

/** What a server remembers of a client's session. */
export interface Session {
  id: string
  txn: Txn | undefined
  /** The newest transaction or retryable write. */
  number: number
  /** Of the newest retryable write: its reply, or how far it got. Stored with the write, so it outlives the process. */
  reply: Buffer | undefined
  progress: Doc | undefined
  /** The newest transaction was committed: a repeated commit is answered with success. */
  isCommitted: boolean
  /** The newest number belongs to a transaction. */
  isTransaction: boolean
  running: Promise<unknown> | undefined
  usedAt: number
}

export type Sessions = Map<string, Session>

/** A session that was not used for this long is deleted, with its retry record. */
export const sessionMs = 30 * 60_000

/** Finds the session of a command or makes it, with what the store remembers of its last retryable write. */
export function sessionOf(sessions: Sessions, storage: Storage, lsid: unknown, now: number): Session {
  const id = sessionId(lsid)
  let session = sessions.get(id)
  if (!session) {
    session = {
      id,
      txn: undefined,
      number: -1,
      reply: undefined,
      progress: undefined,
      isCommitted: false,
      isTransaction: false,
      running: undefined,
      usedAt: now,
      ...recall(storage, id),
    }
    sessions.set(id, session)
  }
  session.usedAt = now
  return session
}

export function sessionId(lsid: unknown): string {
  const id = isDoc(lsid) ? lsid.id : undefined
  if (!(id instanceof Binary) || id.position !== 16) return fail(14, "BSON field 'lsid.id' is the wrong type, expected a UUID")
  const bytes = id.buffer
  return Buffer.isBuffer(bytes) ? bytes.toString('hex', 0, 16) : Buffer.from(bytes.subarray(0, 16)).toString('hex')
}

/** The session's name as replies and events spell it, with the digest of no user's name: this server has none. */
export function lsidOf({ id }: Pick<Session, 'id'>): Doc {
  return { id: new Binary(Buffer.from(id, 'hex'), Binary.SUBTYPE_UUID), uid: nobody }
}

export function transactionNumber(value: unknown): number {
  if (!isNumeric(value)) return fail(14, "BSON field 'txnNumber' is the wrong type, expected type 'long'")
  const number = asNumber(value)
  return Number.isSafeInteger(number) && number >= 0 ? number : fail(72, 'Transaction number cannot be negative')
}

/** The content of a retry record: the reply, the progress of a write that had to pause, or the fact that a transaction was committed. */
export type RetryRecord = { reply: Buffer } | { progress: Doc } | 'committed'

const nobody = new Binary(createHash('sha256').update('').digest())
const empty = Buffer.alloc(0)
const kinds = { reply: 0, progress: 1, committed: 2 }
const headBytes = 17

/** Puts a retry record; only inside `Storage.write`, so that it is stored exactly if the write is. Layout: number, milliseconds, kind, payload. */
export function remember(storage: Storage, session: Session, number: number, now: number, outcome: RetryRecord): void {
  const payload = outcome === 'committed' ? empty : 'reply' in outcome ? outcome.reply : encode(outcome.progress)
  const record = Buffer.allocUnsafe(headBytes + payload.length)
  record.writeDoubleBE(number, 0)
  record.writeDoubleBE(now, 8)
  record[16] = outcome === 'committed' ? kinds.committed : 'reply' in outcome ? kinds.reply : kinds.progress
  record.set(payload, headBytes)
  storage.meta.put(recordKey(session.id), record)
}

/** Deletes the records of sessions that have expired; only inside `Storage.write`. */
export function forgetExpired(storage: Storage, sessions: Sessions, now: number): void {
  for (const { key, value } of [...storage.meta.scan({ start: Buffer.from('r'), end: Buffer.from('s') })]) {
    if (now - value.readDoubleBE(8) > sessionMs && !sessions.has(key.toString('hex', 1))) storage.meta.remove(key)
  }
}

function recall(storage: Storage, id: string): Partial<Session> {
  const record = storage.meta.get(recordKey(id))
  if (!record) return {}
  const number = record.readDoubleBE(0)
  const payload = record.subarray(headBytes)
  if (record[16] === kinds.committed) return { number, isCommitted: true, isTransaction: true }
  return record[16] === kinds.reply ? { number, reply: payload } : { number, progress: decode(payload) }
}

function recordKey(id: string): Buffer {
  return Buffer.concat([Buffer.from('r'), Buffer.from(id, 'hex')])
}
