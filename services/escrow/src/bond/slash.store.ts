import { type Chain, Refusal, slashRecorded } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Stored } from '@carapace/store'
import { Schema } from 'mongoose'

export type SlashStatus = 'FROZEN' | 'APPLIED' | 'DROPPED' | 'REVERSED'

/** A slash as the public sees it. Amount in micro-USDC. */
export interface Slash {
  id: string
  agentId: string
  gigId: string | null
  gigTitle: string | null
  gigBudget: bigint | null
  chain: Chain
  validationId: string | null
  amount: bigint
  reason: string
  status: SlashStatus
  by: 'swarm' | 'oracle' | 'admin'
  scoreBefore: number | null
  txHash: string | null
  /** A command is under way. */
  isPending: boolean
}

const schema = new Schema<Slash>({ agentId: String, gigId: String, validationId: String, status: String, amount: BigInt, gigBudget: BigInt })
schema.index({ gigId: 1 }, { name: 'gig' })
schema.index({ validationId: 1 }, { name: 'one_per_validation', unique: true, partialFilterExpression: { validationId: { $type: 'string' } } })

export type Slashes = Pick<AggregateStore<Slash>, 'get' | 'need'> & {
  ofValidation(validationId: string): Promise<Stored<Slash> | undefined>
  /** Stores a row, or finds the one of the same id or validation. */
  record(row: Slash): Promise<Stored<Slash>>
  /** Changes a row and tells it. */
  become(id: string, change: (row: Slash) => Partial<Slash> | undefined): Promise<Stored<Slash>>
  /** The command of the slash had no effect and never will. */
  failed(id: string): Promise<void>
}

function told(row: Slash, createdAt: Date, now: Date): Decision<Slash> {
  const { id: slashId, agentId, gigId, gigTitle, gigBudget, validationId, amount, status, reason, txHash } = row
  const times = { createdAt: createdAt.toISOString(), changedAt: now.toISOString() }
  return {
    state: row,
    events: [slashRecorded.of({ slashId, agentId, gigId, gigTitle, gigBudget, validationId, amount, status, reason, txHash, ...times })],
  }
}

export function slashStore(db: Database): Slashes {
  const rows = aggregateStore<Slash>(db, { collection: 'slashes', resource: 'slash', schema, duplicates: { one_per_validation: 'ALREADY_EXISTS' } })
  const ofValidation = async (validationId: string) => (await rows.find({ validationId }, { limit: 1 }))[0]
  const known = async ({ id, validationId }: Slash) => (await rows.get(id)) ?? (validationId ? ofValidation(validationId) : undefined)
  const isShown = (row: Slash): boolean => !(row.isPending && row.status === 'APPLIED')
  return {
    ...rows,
    ofValidation,
    record: async row => {
      const first = await known(row)
      if (first) return first
      const now = db.clock.now()
      try {
        return await rows.create(row, isShown(row) ? told(row, now, now).events : [])
      } catch (error) {
        const other = error instanceof Refusal && error.code === 'ALREADY_EXISTS' ? await known(row) : undefined
        if (!other) throw error
        return other
      }
    },
    become: (id, change) =>
      rows.change(id, row => {
        const fields = change(row)
        return fields && told({ ...row, ...fields }, row.createdAt, db.clock.now())
      }),
    failed: async id => {
      await rows.change(id, row => (row.isPending ? told({ ...row, isPending: false, status: 'DROPPED' }, row.createdAt, db.clock.now()) : undefined))
    },
  }
}
