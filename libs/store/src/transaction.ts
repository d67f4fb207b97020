import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@carapace/api'
import type { ClientSession, Connection } from 'mongoose'

/** How long a transaction may last, all its attempts together: less than a caller of the gateway waits. */
export const transactionLimitMs = 10_000
/** The same for one that reads a whole collection, which no caller waits for. */
export const longTransactionLimitMs = 60_000
const firstPauseMs = 5
const longestPauseMs = 250

type Sessions = Pick<Connection, 'startSession'>

/** Others had the rows as long as a transaction may last: a process that was killed within one leaves them locked until the database ends it. */
export class RowsInUse extends Refusal {
  constructor() {
    super('CONFLICT')
  }
}

/** An attempt that did not end within the limit. */
class Late extends Refusal {
  constructor() {
    super('TIMEOUT')
  }
}

/**
 * Runs `work` in one transaction, again from its start when another transaction wrote the same documents first (112, TransientTransactionError).
 * @throws what `work` throws; CONFLICT (`RowsInUse`) when it lost every race within `limitMs`; TIMEOUT when its first attempt did not end within `limitMs`. Then it is never committed
 */
export async function runTransaction<T>(
  connection: Sessions,
  work: (session: ClientSession) => Promise<T>,
  limitMs: number = transactionLimitMs,
): Promise<T> {
  const endsAt = performance.now() + limitMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(connection, work, endsAt)
    } catch (error) {
      // the time that was left after the races it has lost was not enough for one more
      if (error instanceof Late && attempt > 1) throw new RowsInUse()
      if (!hasLabel(error, 'TransientTransactionError')) throw error
      const pauseMs = pauseAfter(attempt)
      if (performance.now() + pauseMs >= endsAt) throw new RowsInUse()
      await sleep(pauseMs)
    }
  }
}

/** Transactions that lost a race together would meet again: they part by chance, wider with each attempt. */
export const pauseAfter = (attempt: number): number => Math.random() * Math.min(firstPauseMs * 2 ** attempt, longestPauseMs)

async function attemptOnce<T>(connection: Sessions, work: (session: ClientSession) => Promise<T>, endsAt: number): Promise<T> {
  const session = await connection.startSession()
  session.startTransaction()
  const running = work(session)
  let hasEnded = false
  const markEnded = () => {
    hasEnded = true
  }
  const ended = running.then(markEnded, markEnded)
  try {
    const result = await within(running, endsAt)
    await commit(session, endsAt)
    return result
  } finally {
    // Aborts what is not committed. Late work has to end first: what it wrote in an aborted session would be outside of any transaction.
    if (hasEnded) await session.endSession()
    else void ended.then(() => session.endSession()).catch(() => {})
  }
}

/** A commit whose outcome is unknown is sent again: it commits once. */
async function commit(session: ClientSession, endsAt: number): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction()
    } catch (error) {
      if (!hasLabel(error, 'UnknownTransactionCommitResult') || performance.now() >= endsAt) throw error
      await sleep(pauseAfter(1))
    }
  }
}

/** @throws TIMEOUT */
async function within<T>(running: Promise<T>, endsAt: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late()), Math.max(0, endsAt - performance.now()))
  })
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}

const hasLabel = (error: unknown, label: string): boolean =>
  error instanceof Error && 'hasErrorLabel' in error && typeof error.hasErrorLabel === 'function' && error.hasErrorLabel(label) === true
