import { Refusal } from '@carapace/api'
import type { ClientSession } from 'mongoose'
import type { Database } from './database.ts'
import { duplicateIndex } from './duplicate.ts'

const attempts = 6

/**
 * One transaction over several stores, decided again when another one wrote or made the same rows first.
 * @throws what `work` refuses; CONFLICT or the duplicate after 6 attempts
 * @example await transact(parts, async session => { await payments.change(id, hold, { session }); await ledger.post(entry, session) })
 */
export async function transact<T>({ db }: { db: Database }, work: (session: ClientSession) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      const isRace = (error instanceof Refusal && error.code === 'CONFLICT') || duplicateIndex(error) !== undefined
      if (!isRace || attempt === attempts) throw error
    }
  }
}
