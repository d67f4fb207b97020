import { openChangeLog } from '../change-streams/change-log.ts'
import { abortTxn, type Engine } from '../engine/engine.ts'
import { unfinishedPrefix } from '../pipeline/write-output.ts'
import { cursorMs, killCursor } from '../sessions/cursors.ts'
import { forgetMoments, type Moment, momentMs } from '../sessions/history.ts'
import { forgetExpired, sessionMs } from '../sessions/session.ts'
import { type Catalog, openCatalog } from '../storage/catalog.ts'
import { openStorage, type Storage } from '../storage/storage.ts'
import type { Snapshot } from '../storage/table.ts'
import { collectGarbage } from '../write/garbage.ts'
import { deleteExpired } from '../write/ttl.ts'
import { upgradeIndexes } from './upgrade.ts'

const txnLifetimeMs = 60_000
/** An idle snapshot is released early after this many writes: the pages that it may still read cannot be reused, so the data file grows. */
const pinnedWrites = 1_000
const idleMs = 5_000
const sweepMs = 1_000
const expirySweepMs = 60_000

/** Opens the data folder and starts the engine's housekeeping. Throws when the folder is in use or cannot be written. */
export async function openEngine(path: string, forTests: boolean): Promise<Engine> {
  const storage = await openStorage(path)
  const catalog = openCatalog(storage)
  await dropUnfinished(storage, catalog)
  await upgradeIndexes(storage, catalog)
  const startedAt = Date.now()
  const log = openChangeLog(storage, startedAt)
  const engine: Engine = {
    storage,
    catalog,
    locks: new Map(),
    log,
    sessions: new Map(),
    cursors: new Map(),
    history: new Map(),
    failPoints: forTests ? [] : undefined,
    parameters: new Map(),
    startedAt,
    connections: () => 0,
    counts: new Map(),
    stop: async () => {
      clearInterval(sweeper)
      clearInterval(expirer)
      log.close()
      await housekeeping
      for (const session of engine.sessions.values()) if (session.txn) abortTxn(engine, session.txn)
      for (const cursor of engine.cursors.values()) killCursor(engine.cursors, cursor)
      forgetMoments(engine.history, () => true)
      await storage.close()
    },
  }
  storage.onCommit(isStored => {
    if (isStored) return log.publish()
    log.discard()
    catalog.reload()
  })
  let housekeeping: Promise<void> = collectGarbage(engine)
  const sweeper = setInterval(() => sweep(engine, Date.now()), sweepMs).unref()
  const expirer = setInterval(() => {
    housekeeping = housekeeping.then(() => tidy(engine, Date.now()))
  }, expirySweepMs).unref()
  return engine
}

/** Drops what a crash has left of the output of `$out`. */
async function dropUnfinished(storage: Storage, catalog: Catalog): Promise<void> {
  const unfinished = catalog.databases().flatMap(db => catalog.collections(db).filter(({ name }) => name.startsWith(unfinishedPrefix)))
  if (unfinished.length === 0) return
  await storage.write(() => {
    for (const collection of unfinished) catalog.drop(collection)
  })
}

/** Ends abandoned snapshots, transactions, sessions and cursors, as of `now` in milliseconds since the epoch. */
export function sweep(engine: Engine, now: number): void {
  const isInTheWay = ({ version }: Snapshot, usedAt: number) => now - usedAt > idleMs && engine.storage.version() - version > pinnedWrites
  const isOver = ({ snapshot, usedAt }: Moment) => isInTheWay(snapshot, usedAt) || now - usedAt > momentMs
  forgetMoments(engine.history, moment => moment.readers === 0 && isOver(moment))
  for (const session of engine.sessions.values()) {
    const { txn, running, usedAt } = session
    if (txn?.state === 'open' && ((isInTheWay(txn.snapshot, usedAt) && !running) || now - txn.startedAt > txnLifetimeMs)) abortTxn(engine, txn)
    if (!session.running && session.txn?.state !== 'open' && now - session.usedAt > sessionMs) engine.sessions.delete(session.id)
  }
  for (const cursor of engine.cursors.values()) if (!cursor.isBusy && now - cursor.usedAt > cursorMs) killCursor(engine.cursors, cursor)
}

/** A full disk must not stop the timers: the next round tries again. */
async function tidy(engine: Engine, now: number): Promise<void> {
  try {
    await deleteExpired(engine, now)
    await engine.storage.write(() => forgetExpired(engine.storage, engine.sessions, now))
    await collectGarbage(engine)
  } catch {
    engine.counts.set('failedHousekeeping', (engine.counts.get('failedHousekeeping') ?? 0) + 1)
  }
}
