import { randomInt } from 'node:crypto'
import { fail } from './errors.ts'
import { checkDeadline, type Tick, tick } from './read.ts'
import type { Txn } from './txn.ts'

/** An answer that is being read in batches. */
export interface Cursor {
  id: number
  namespace: string
  stream: AsyncIterator<Buffer | Tick> | Iterator<Buffer | Tick>
  /** Read from the stream but not sent: it did not fit into the last batch. */
  ahead: Buffer | undefined
  sessionId: string | undefined
  txn: Txn | undefined
  /** Of the whole operation, in milliseconds since the epoch. */
  deadline: number
  usedAt: number
  isBusy: boolean
}

export type Cursors = Map<number, Cursor>

export const cursorMs = 10 * 60_000
const maxBatchBytes = 16 * 1024 * 1024
const turnMs = 12

export function openCursor(cursors: Cursors, cursor: Omit<Cursor, 'id' | 'ahead' | 'isBusy'>): Cursor {
  let id = randomInt(1, 2 ** 47)
  while (cursors.has(id)) id = randomInt(1, 2 ** 47)
  const opened = { ...cursor, id, ahead: undefined, isBusy: false }
  cursors.set(id, opened)
  return opened
}

/** Throws 43 CursorNotFound. */
export function findCursor(cursors: Cursors, id: number): Cursor {
  return cursors.get(id) ?? fail(43, `cursor id ${id} not found`)
}

export function killCursor(cursors: Cursors, cursor: Cursor): void {
  cursors.delete(cursor.id)
  void cursor.stream.return?.()
}

/** Takes up to `size` documents and 16 MiB off the stream. Long reading gives other commands a turn, unless they must not interleave. */
export async function nextBatch(
  cursor: Pick<Cursor, 'stream' | 'ahead' | 'deadline'>,
  size: number,
  givesTurns = true,
): Promise<{ documents: Buffer[]; isDone: boolean }> {
  const documents: Buffer[] = []
  let bytes = 0
  let turnStarted = Date.now()
  while (documents.length < size) {
    let document = cursor.ahead
    cursor.ahead = undefined
    if (!document) {
      const pending = cursor.stream.next()
      const step = pending instanceof Promise ? await pending : pending
      if (step.done) return { documents, isDone: true }
      if (step.value === tick) {
        checkDeadline(cursor.deadline)
        if (givesTurns && Date.now() - turnStarted > turnMs) {
          await new Promise(setImmediate)
          turnStarted = Date.now()
        }
        continue
      }
      document = step.value
    }
    if (documents.length > 0 && bytes + document.length > maxBatchBytes) {
      cursor.ahead = document
      break
    }
    documents.push(document)
    bytes += document.length
  }
  return { documents, isDone: false }
}
