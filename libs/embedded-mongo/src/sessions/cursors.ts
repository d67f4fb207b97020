import { randomInt } from 'node:crypto'
import type { Collection } from '../storage/catalog.ts'
import type { Txn } from '../storage/txn.ts'
import { fail } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import { checkDeadline, type Tick, tick } from './deadline.ts'
import type { Moment } from './history.ts'

/** The source of a cursor that stays open at the end and continues with later writes. */
export interface LiveSource {
  /** The next documents, at most `size`; empty when there is nothing new. */
  fetch(size: number): Doc[]
  /** Nothing will ever come again. */
  isOver(): boolean
  /** Fields of the reply in addition to the documents. */
  replyFields(): Doc
  /** Whether `getMore` waits for something new. */
  waits: boolean
  /** After some errors the driver may reopen it at the same position. */
  isResumable: boolean
}

/** An answer that is being read in batches. */
export interface Cursor {
  id: number
  namespace: string
  stream: AsyncIterator<Buffer | Tick> | Iterator<Buffer | Tick>
  /** In the place of `stream` for a cursor that never ends. */
  live?: LiveSource | undefined
  /** Wakes the `getMore` that waits for something new. */
  whenKilled?: (() => void) | undefined
  /** Read from the stream but not sent: it did not fit into the last batch. */
  ahead: Buffer | undefined
  /** The query's limit may be reached before the stream yields one more document. */
  end?: { isReached: boolean }
  /** What it reads: the cursor ends when this is dropped. */
  collection?: Collection | undefined
  sessionId: string | undefined
  txn: Txn | undefined
  /** What it reads with `readConcern: snapshot`. */
  moment?: Moment | undefined
  /** Of the whole operation, in milliseconds since the epoch. */
  deadline: number
  usedAt: number
  isBusy: boolean
}

export type Cursors = Map<number, Cursor>

export const cursorMs = 10 * 60_000
const maxBatchBytes = 16 * 1024 * 1024
/** The batch size in bytes at which sources that measure documents before the reply is encoded stop. */
export const fullBatchBytes = 12 * 1024 * 1024
const sliceMs = 12

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
  cursor.whenKilled?.()
  void cursor.stream.return?.()
}

export interface Batch {
  documents: Buffer[]
  isDone: boolean
}

type Source = Pick<Cursor, 'stream' | 'ahead' | 'deadline'>
type Step = IteratorResult<Buffer | Tick>

/**
 * Reads up to `size` documents and 16 MiB from the stream. The result is immediate if one time slice is enough, which is nearly always so;
 * a longer read yields to other commands.
 */
export function nextBatch(cursor: Source, size: number): Batch | Promise<Batch> {
  const batch: Batch = { documents: [], isDone: false }
  const pause = fill(cursor, size, batch, Date.now() + sliceMs)
  return pause === undefined ? batch : afterPause(pause, cursor, size, batch)
}

async function afterPause(first: Promise<Step | undefined>, cursor: Source, size: number, batch: Batch): Promise<Batch> {
  for (let pause: Promise<Step | undefined> | undefined = first; pause; ) {
    const step: Step | undefined = await pause
    pause = fill(cursor, size, batch, Date.now() + sliceMs, step)
  }
  return batch
}

/** Fills the batch until it is complete, or must wait for the returned promise: for the stream's next step, or for other commands. */
function fill(cursor: Source, size: number, batch: Batch, sliceEnd: number, awaited?: Step): Promise<Step | undefined> | undefined {
  const { documents } = batch
  let bytes = documents.reduce((sum, { length }) => sum + length, 0)
  let ready = awaited ?? (cursor.ahead && { value: cursor.ahead })
  cursor.ahead = undefined
  while (ready || documents.length < size) {
    const step = ready ?? cursor.stream.next()
    ready = undefined
    if (step instanceof Promise) return step
    if (step.done) {
      batch.isDone = true
      return undefined
    }
    const { value } = step
    if (value === tick) {
      checkDeadline(cursor.deadline)
      if (Date.now() > sliceEnd) return new Promise(resolve => setImmediate(resolve, undefined))
    } else if (documents.length >= size || (documents.length > 0 && bytes + value.length > maxBatchBytes)) {
      cursor.ahead = value
      return undefined
    } else {
      documents.push(value)
      bytes += value.length
    }
  }
  return undefined
}
