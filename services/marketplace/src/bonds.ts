import { bondDeposited, bondLocked, bondSlashed, bondUnlocked, bondWithdrawn, slashReversed } from '@carapace/api'
import { on, type Platform, type Subscription } from '@carapace/service'
import { projection } from '@carapace/store'
import { Schema } from 'mongoose'

interface Row {
  /** micro-USDC */
  availableBond: bigint
}

export interface Bonds {
  subscriptions: Subscription[]
  /** Free bond in micro-USDC; for the fee only, the escrow decides on locks itself. */
  available(agentId: string): Promise<bigint>
}

export function bondProjection({ db }: Pick<Platform, 'db'>): Bonds {
  const rows = projection<Row>(db, { collection: 'bonds', schema: new Schema<Row>({ availableBond: BigInt }) })
  const changes = [bondDeposited, bondWithdrawn, bondLocked, bondUnlocked, bondSlashed, slashReversed]
  return {
    subscriptions: changes.map(change =>
      on(change as typeof bondDeposited, ({ agentId, availableBond }, event) => rows.apply(agentId, { availableBond }, event)),
    ),
    available: async agentId => (await rows.get(agentId))?.availableBond ?? 0n,
  }
}
