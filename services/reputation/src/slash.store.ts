import { type Database, type Projection, projection } from '@carapace/store'
import { Schema } from 'mongoose'

/** The read side of slashes; the escrow decides them. */
export interface SlashRow {
  agentId: string
  gigId: string | null
  gigTitle: string | null
  gigBudget: bigint | null
  validationId: string | null
  /** micro-USDC */
  amount: bigint
  status: 'FROZEN' | 'APPLIED' | 'DROPPED' | 'REVERSED'
  reason: string
  txHash: string | null
  createdAt: Date
  scoreBefore: number | null
  scoreAfter: number | null
}

const schema = new Schema<SlashRow>({ agentId: String, amount: BigInt, gigBudget: BigInt, status: String, createdAt: Date })
schema.index({ createdAt: -1, _id: -1 }, { name: 'newest' })
schema.index({ agentId: 1, createdAt: -1, _id: -1 }, { name: 'agent_newest' })

export const slashStore = (db: Database): Projection<SlashRow> =>
  projection<SlashRow>(db, {
    collection: 'slashes',
    schema,
    shareOf: ({ status, amount = 0n }) => ({ sums: { applied: status === 'APPLIED' ? amount : 0n } }),
  })
