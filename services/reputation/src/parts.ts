import type { Platform } from '@carapace/service'
import type { Projection } from '@carapace/store'
import { type AuditLog, auditLog } from './audit.store.ts'
import { type ScoreStore, scoreStore } from './score.store.ts'
import { type SlashRow, slashStore } from './slash.store.ts'

export interface Stores {
  audit: AuditLog
  scores: ScoreStore
  slashes: Projection<SlashRow>
}
export type Parts = Stores & Platform

export const stores = ({ db }: Platform): Stores => ({ audit: auditLog(db), scores: scoreStore(db), slashes: slashStore(db) })
