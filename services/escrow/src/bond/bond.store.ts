import { type AggregateStore, aggregateStore, type Database, type Indexes, type Stored } from '@carapace/store'
import { type Booked, type Books, bookedOn } from '../books.ts'
import type { Bond } from './bond.ts'
import type { BondDecision } from './bond-decision.ts'
import type { BondEvents, BondFailures } from './bond-event.store.ts'
import { bondPostings } from './postings.ts'
import { shareOf } from './statistics.ts'
import { upgradeBond } from './upgrade-bond.ts'

const indexes: Indexes = {
  due: { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
  wallet: { key: { wallet: 1 } },
  // before `total`: of two that fit alike the first is used
  last_slash: { key: { lastSlashAt: 1, total: 1 } },
  total: { key: { total: -1, _id: -1 } },
  moves: { key: { 'moves.id': 1 } },
  locks: { key: { 'locks.lockId': 1 } },
  unlocks: { key: { 'locks.unlockId': 1 } },
  done: { key: { 'done.id': 1 } },
  done_locks: { key: { 'done.unlocked.lockId': 1 } },
  failed_unlocks: { key: { 'done.failedLock.unlockId': 1 } },
  updated: { key: { updatedAt: 1 } },
  locks_stage_id: { key: { 'locks.stage': 1, _id: 1 } },
  moves_stage: { key: { 'moves.stage': 1, updatedAt: 1 } },
}

export type BondStore = AggregateStore<Bond, BondDecision> & {
  /** The bond that waits for the outcome of this bond event, or followed one not long ago. */
  waitingFor(bondEventId: string): Promise<{ id: string } | undefined>
}

const places = ['moves.id', 'locks.lockId', 'locks.unlockId', 'done.id', 'done.unlocked.lockId', 'done.failedLock.unlockId']

/** One document per agent. A change is written with its ledger lines, history and failures in one transaction. */
export function bondStore(db: Database, { ledger, history, failures }: { ledger: Books; history: BondEvents; failures: BondFailures }): BondStore {
  const bonds = aggregateStore<Bond, BondDecision, Booked>(db, {
    collection: 'bonds',
    resource: 'bond',
    optimistic: true,
    indexes,
    shareOf,
    shareForm: 1,
    upgrade: upgradeBond,
    ledger,
    postings: (before, after) => bookedOn(after.chain, bondPostings(before, after)),
    alongside: (_before, after, change) => {
      if (!change || change.history.length + change.failures.length === 0) return undefined
      return async session => {
        await history.add(change.history, (after as Stored<Bond>).version, session)
        await failures.add(change.failures, session)
      }
    },
  })
  return {
    ...bonds,
    waitingFor: async id => {
      const row = await bonds.collection.findOne({ $or: places.map(place => ({ [place]: id })) }, { projection: { _id: 1 } })
      return row ? { id: String(row._id) } : undefined
    },
  }
}
