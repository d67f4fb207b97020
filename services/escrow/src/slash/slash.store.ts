import { slashRecorded } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Indexes, orExisting, type Stored } from '@carapace/store'
import type { Slash } from './slash.ts'
import { slashStates } from './slash-states.ts'

const indexes: Indexes = {
  gig: { key: { gigId: 1 } },
  one_per_validation: { key: { validationId: 1 }, unique: true, partialFilterExpression: { validationId: { $type: 'string' } } },
}

export type Slashes = Pick<AggregateStore<Slash>, 'get' | 'need'> & {
  ofValidation(validationId: string): Promise<Stored<Slash> | undefined>
  /** Stores a row, or finds the one of the same id or validation. */
  record(row: Slash): Promise<Stored<Slash>>
  /** Changes a row and publishes it. */
  become(id: string, change: (row: Slash) => Partial<Slash> | undefined): Promise<Stored<Slash>>
  /** The command of the slash had no effect and never will. */
  failed(id: string): Promise<void>
}

function recorded(row: Slash, createdAt: Date, now: Date): Decision<Slash> {
  const { id: slashId, agentId, gigId, gigTitle, gigBudget, validationId, amount, status, reason, txHash } = row
  const times = { createdAt: createdAt.toISOString(), changedAt: now.toISOString() }
  return {
    state: row,
    events: [slashRecorded.of({ slashId, agentId, gigId, gigTitle, gigBudget, validationId, amount, status, reason, txHash, ...times })],
  }
}

export function slashStore(db: Database): Slashes {
  const rows = aggregateStore<Slash>(db, {
    collection: 'slashes',
    resource: 'slash',
    indexes,
    optimistic: true,
    duplicates: { one_per_validation: 'ALREADY_EXISTS' },
  })
  const ofValidation = async (validationId: string) => (await rows.find({ validationId }, { limit: 1 }))[0]
  const stored = async ({ id, validationId }: Slash) => (await rows.get(id)) ?? (validationId ? ofValidation(validationId) : undefined)
  const isPublic = (row: Slash): boolean => !(row.isPending && row.status === 'APPLIED')
  return {
    ...rows,
    ofValidation,
    record: row => {
      const now = db.clock.now()
      return orExisting(rows.create(row, isPublic(row) ? recorded(row, now, now).events : []), () => stored(row))
    },
    become: (id, change) =>
      rows.change(id, row => {
        const fields = change(row)
        return fields && recorded({ ...row, ...fields }, row.createdAt, db.clock.now())
      }),
    failed: async id => {
      await rows.change(id, row =>
        row.isPending
          ? recorded({ ...row, isPending: false, status: slashStates.move(row.status, 'drop') }, row.createdAt, db.clock.now())
          : undefined,
      )
    },
  }
}
