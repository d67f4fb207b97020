import { Binary, Long } from 'bson'
import { decode, encode } from './bson-raw.ts'
import { fail } from './errors.ts'
import type { Storage } from './storage.ts'
import type { Txn } from './txn.ts'
import { asNumber, type Doc, isDoc, isNumeric } from './values.ts'

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

/** A session that was not used for so long is forgotten, with its retry record. */
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
  return Buffer.from(id.buffer.subarray(0, 16)).toString('hex')
}

export function transactionNumber(value: unknown): number {
  if (!isNumeric(value)) return fail(14, "BSON field 'txnNumber' is the wrong type, expected type 'long'")
  const number = asNumber(value)
  return Number.isSafeInteger(number) && number >= 0 ? number : fail(72, 'Transaction number cannot be negative')
}

/** Puts a retry record; only inside `Storage.write`, so that it is stored exactly if the write is. */
export function remember(storage: Storage, session: Session, number: number, kept: { reply?: Buffer; progress?: Doc; committed?: true }): void {
  const { reply, ...rest } = kept
  const record = { number: Long.fromNumber(number), at: new Date(), ...rest, ...(reply ? { reply: new Binary(reply) } : {}) }
  storage.meta.put(recordKey(session.id), encode(record))
}

/** Deletes the records of sessions that have expired; only inside `Storage.write`. */
export function forgetExpired(storage: Storage, sessions: Sessions, now: number): void {
  for (const { key, value } of [...storage.meta.scan({ start: Buffer.from('r'), end: Buffer.from('s') })]) {
    const at = decode(value).at
    if (at instanceof Date && now - at.getTime() > sessionMs && !sessions.has(key.toString('hex', 1))) storage.meta.remove(key)
  }
}

function recall(storage: Storage, id: string): Partial<Session> {
  const raw = storage.meta.get(recordKey(id))
  if (!raw) return {}
  const record = decode(raw)
  const number = Number(record.number)
  if (record.committed) return { number, isCommitted: true, isTransaction: true }
  const reply = record.reply instanceof Binary ? Buffer.from(record.reply.buffer.subarray(0, record.reply.position)) : undefined
  return { number, reply, progress: isDoc(record.progress) ? record.progress : undefined }
}

function recordKey(id: string): Buffer {
  return Buffer.concat([Buffer.from('r'), Buffer.from(id, 'hex')])
}
