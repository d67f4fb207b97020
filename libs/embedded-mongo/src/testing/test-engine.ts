import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import type { Engine } from '../engine/engine.ts'
import { answer } from '../server/dispatch.ts'
import { openEngine } from '../server/open-engine.ts'
import { Blocked } from '../storage/txn.ts'
import { listen } from '../wire/wire.ts'

/** A server whose engine a test can reach: how long a commit lasts, and what comes between two commits, is then no matter of luck. */
export interface TestEngine {
  engine: Engine
  client: MongoClient
  /** Each commit ends after one document more while the action runs. */
  inSmallSteps<T>(action: () => Promise<T>): Promise<T>
  /** Resolves when the next write waits for a transaction's lock. */
  blocked(): Promise<void>
  /** Runs the action once, before the next commit for which `isTime`, and after all that are under way. */
  before(isTime: () => boolean, action: () => Promise<unknown>): Promise<void>
  stop(): Promise<void>
}

export async function startTestEngine(): Promise<TestEngine> {
  const path = await mkdtemp(join(tmpdir(), 'embedded-mongo-engine-'))
  const engine = await openEngine(path, false)
  const { storage } = engine
  const listener = await listen(
    { port: 0 },
    (connection, message) => answer(engine, connection, message),
    () => {},
  )
  const client = await new MongoClient(listener.uri).connect()
  return {
    engine,
    client,
    inSmallSteps: async action => {
      const { isLong } = storage
      storage.isLong = () => true
      try {
        return await action()
      } finally {
        storage.isLong = isLong
      }
    },
    blocked: () =>
      new Promise(resolve => {
        const { write } = storage
        storage.write = change => {
          const written = write(change)
          written.catch(error => {
            if (!(error instanceof Blocked)) return
            storage.write = write
            resolve()
          })
          return written
        }
      }),
    before: (isTime, action) =>
      new Promise((resolve, reject) => {
        const { write } = storage
        storage.write = async change => {
          if (isTime()) {
            storage.write = write
            await action().then(() => resolve(), reject)
          }
          return write(change)
        }
      }),
    stop: async () => {
      await client.close()
      await listener.close()
      await engine.stop()
      await rm(path, { recursive: true })
    },
  }
}
