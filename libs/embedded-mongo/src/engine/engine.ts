import type { ChangeLog } from '../change-streams/change-log.ts'
import { type Cursors, killCursor } from '../sessions/cursors.ts'
import type { History } from '../sessions/history.ts'
import type { Sessions } from '../sessions/session.ts'
import type { Catalog } from '../storage/catalog.ts'
import type { Storage } from '../storage/storage.ts'
import { endTxn, type Locks, type Txn } from '../storage/txn.ts'
import type { FailPoint } from './fail-points.ts'

/** Everything that the commands of one server share. */
export interface Engine {
  storage: Storage
  catalog: Catalog
  locks: Locks
  log: ChangeLog
  sessions: Sessions
  cursors: Cursors
  history: History
  /** Undefined unless the engine was started for tests: then `configureFailPoint` is a command. */
  failPoints: FailPoint[] | undefined
  parameters: Map<string, unknown>
  startedAt: number
  connections: () => number
  counts: Map<string, number>
  stop(): Promise<void>
}

export function abortTxn(engine: Engine, txn: Txn): void {
  if (txn.state !== 'open') return
  endTxn(txn, engine.locks, engine.catalog, 'aborted')
  for (const cursor of engine.cursors.values()) if (cursor.txn === txn) killCursor(engine.cursors, cursor)
}
