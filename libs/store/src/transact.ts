import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@carapace/api'
import type { ClientSession } from 'mongoose'
import type { Database } from './database.ts'
import { duplicateIndex } from './errors/duplicate.ts'
import { pauseAfter, transactionLimitMs } from './transaction.ts'

const attempts = 6

/**
 * One transaction over several stores, decided again when another one wrote or made the same rows first.
 * @throws what `work` refuses; CONFLICT or the duplicate after 6 attempts; CONFLICT or TIMEOUT after 10 s
 * @example await transact(parts, async session => { await payments.change(id, hold, { session }); await ledger.post(entry, session) })
 */
export async function transact<T>({ db }: { db: Database }, work: (session: ClientSession) => Promise<T>): Promise<T> {
  const endsAt = performance.now() + transactionLimitMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(work, endsAt - performance.now())
    } catch (error) {
      const isRace = (error instanceof Refusal && error.code === 'CONFLICT') || duplicateIndex(error) !== undefined
      const pauseMs = pauseAfter(attempt)
      if (!isRace || attempt === attempts || performance.now() + pauseMs >= endsAt) throw error
      await sleep(pauseMs)
    }
  }
}
