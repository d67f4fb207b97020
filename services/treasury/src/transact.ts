import { Refusal } from '@carapace/api'
import { duplicateIndex } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Parts } from './parts.ts'

const attempts = 6

/** One transaction, again when another one made the same account or row first. */
export async function transact<T>({ db }: Pick<Parts, 'db'>, work: (session: ClientSession) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      const isRace = (error instanceof Refusal && error.code === 'CONFLICT') || duplicateIndex(error) !== undefined
      if (!isRace || attempt === attempts) throw error
    }
  }
}
