import { type Database, type Indexes, type Projection, projection } from '@carapace/store'

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

const indexes: Indexes = {
  newest: { key: { createdAt: -1, _id: -1 } },
  agent_newest: { key: { agentId: 1, createdAt: -1, _id: -1 } },
}

export const slashStore = (db: Database): Projection<SlashRow> =>
  projection<SlashRow>(db, {
    collection: 'slashes',
    indexes,
    shareOf: ({ status, amount = 0n }) => ({ sums: { applied: status === 'APPLIED' ? amount : 0n } }),
  })
