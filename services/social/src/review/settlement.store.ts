import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import type { Settlement } from './settlement.ts'

export type SettlementStore = AggregateStore<Settlement>

export const settlementStore = (db: Database): SettlementStore =>
  aggregateStore<Settlement>(db, { collection: 'settlements', resource: 'gig', optimistic: true })
