import { setTimeout as sleep } from 'node:timers/promises'
import type { mongo } from 'mongoose'
import type { Database } from '../database.ts'

/** One step from the form that documents had to the one that the next version reads. */
export interface Migration<Parts = void> {
  /** For the log. */
  name: string
  /**
   * It is repeated where a process ends in its middle, may run twice where a clock is wrong, and processes of the former version still write while it
   * runs: it must bear all three.
   * @throws unless every document has its new form: what resolves is never run again
   */
  run(parts: Parts): Promise<unknown>
}

/** How many migrations the documents of a database have passed. */
interface Form {
  _id: 'form'
  version: number
  /** The process that migrates, and until when the others leave it alone. */
  holder?: string
  until?: Date
}
type Forms = mongo.Collection<Form>

export interface MigrationOptions {
  log: { info(fields: object, message: string): void }
  /** Pause before a poll whether another process has migrated, ms. Default 200. */
  pollMs?: number
  /** How long a process that has died in a migration delays the others, ms. Default 10,000. */
  leaseMs?: number
}

const formsOf = (db: Database): Forms => db.connection.collection<Form>('data_form') as unknown as Forms

/** Notes the form of a database that is still empty: this version makes its documents. Called before anything is stored. */
export async function noteForm(db: Database, version: number): Promise<void> {
  const collections = await db.connection.listCollections()
  if (collections.length === 0) await formsOf(db).updateOne({ _id: 'form' }, { $setOnInsert: { version } }, { upsert: true })
}

/**
 * Migrates the documents of a database to the form of this version: one process does, the others wait. A database without a note has the first form.
 * @throws Error for documents of a later version, which this one would not understand
 */
export async function migrate(db: Database, steps: readonly Migration[], { log, pollMs = 200, leaseMs = 10_000 }: MigrationOptions): Promise<void> {
  const forms = formsOf(db)
  const holder = db.newId()
  await forms.updateOne({ _id: 'form' }, { $setOnInsert: { version: 0 } }, { upsert: true })
  for (;;) {
    const version = Number((await forms.findOne({ _id: 'form' }))!.version)
    if (version === steps.length) return
    if (version > steps.length)
      throw new Error(
        `${db.name} has data of form ${version}, this version reads form ${steps.length}: start the version that wrote it, or a later one`,
      )
    if (!(await acquire(forms, version, holder, leaseMs))) {
      await sleep(pollMs)
      continue
    }
    const { name, run } = steps[version]!
    log.info({ database: db.name, form: version + 1, migration: name }, 'data is migrated')
    await renewed(forms, holder, leaseMs, run)
    await forms.updateOne({ _id: 'form', version, holder }, { $set: { version: version + 1 }, $unset: { holder: '', until: '' } })
  }
}

async function acquire(forms: Forms, version: number, holder: string, leaseMs: number): Promise<boolean> {
  const [now, until] = [new Date(), new Date(Date.now() + leaseMs)]
  const isFree = { $or: [{ until: { $exists: false } }, { until: { $lt: now } }] }
  const { modifiedCount } = await forms.updateOne({ _id: 'form', version, ...isFree }, { $set: { holder, until } })
  return modifiedCount === 1
}

/** Runs a step under the lease; one that fails leaves the lease, so that the next start need not wait for its end. */
async function renewed(forms: Forms, holder: string, leaseMs: number, run: () => Promise<unknown>): Promise<void> {
  const renewal = setInterval(() => {
    forms.updateOne({ _id: 'form', holder }, { $set: { until: new Date(Date.now() + leaseMs) } }).catch(() => undefined)
  }, leaseMs / 4)
  try {
    await run()
  } catch (error) {
    await forms.updateOne({ _id: 'form', holder }, { $unset: { holder: '', until: '' } })
    throw error
  } finally {
    clearInterval(renewal)
  }
}
