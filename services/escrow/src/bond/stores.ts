import type { Platform } from '@carapace/service'
import type { Books } from '../books.ts'
import { bondStore } from './bond.store.ts'
import { bondEventStore, bondFailureStore } from './bond-event.store.ts'
import { performanceStore } from './performance.store.ts'

/** Bonds, with the history that is written in their transactions. */
export function bondStores(platform: Platform, ledger: Books) {
  const { db } = platform
  const [bondHistory, bondFailures] = [bondEventStore(db), bondFailureStore(db)]
  const bonds = bondStore(db, { ledger, history: bondHistory, failures: bondFailures })
  return { bonds, bondHistory, bondFailures, performances: performanceStore(platform) }
}
