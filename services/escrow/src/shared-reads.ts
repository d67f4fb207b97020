import { marketplaceApi } from '@carapace/api'
import { usdcBalance } from '@carapace/projections'
import { type Platform, sharedRead } from '@carapace/service'
import type { BondStore } from './bond/bond.store.ts'

/** Reads whose concurrent callers share one. */
export const sharedReads = ({ peers }: Platform, bonds: BondStore) => ({
  /** The stored bond of an agent, for what only reads. */
  bondNow: sharedRead(agentId => bonds.get(agentId)),
  /** The marketplace's own row of a gig. @throws NOT_FOUND, DEPENDENCY_UNAVAILABLE */
  gigNow: sharedRead(id => peers.call('marketplace', marketplaceApi.internal.getGigRow, { params: { id } })),
  usdcNow: usdcBalance({ peers }),
})
