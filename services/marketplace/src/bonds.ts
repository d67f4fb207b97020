import { bondDeposited, bondLocked, bondLockFailed, bondSlashed, bondUnlocked, bondWithdrawn, slashReversed } from '@carapace/api'
import { on, type Platform, type Subscription } from '@carapace/service'
import { projection } from '@carapace/store'

interface Row {
  /** micro-USDC */
  availableBond: bigint
  totalBonded: bigint
}

export interface Bonds {
  subscriptions: Subscription[]
  /** Free bond in micro-USDC; for the fee only, the escrow decides on locks itself. */
  available(agentId: string): Promise<bigint>
  /** Whole bonds in micro-USDC by agent; agents without one are left out. */
  many(agentIds: readonly string[]): Promise<Map<string, bigint>>
}

export function bondProjection({ db }: Pick<Platform, 'db'>): Bonds {
  const rows = projection<Row>(db, { collection: 'bonds' })
  const save = ({ agentId, availableBond, totalBonded }: { agentId: string } & Row, event: Parameters<typeof rows.apply>[2]) =>
    rows.apply(agentId, { availableBond, totalBonded }, event)
  return {
    subscriptions: [
      on(bondDeposited, save),
      on(bondWithdrawn, save),
      on(bondLocked, save),
      on(bondLockFailed, save),
      on(bondUnlocked, save),
      on(bondSlashed, save),
      on(slashReversed, save),
    ],
    available: async agentId => (await rows.get(agentId))?.availableBond ?? 0n,
    many: async agentIds => new Map([...(await rows.many(agentIds))].map(([id, row]) => [id, row.totalBonded])),
  }
}
