import { chains, escrowApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { awaits } from './awaits.ts'
import { addMadeSlashes } from './bond/made-slashes.ts'
import { events } from './events.ts'
import { bondHandlers, bondReadHandlers } from './http/bonds.ts'
import { escrowHandlers } from './http/escrows.ts'
import { internalHandlers } from './http/internal.ts'
import { receiptHandlers } from './http/receipts.ts'
import { rewardHandlers } from './http/rewards.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'

export const escrow = defineService({
  api: escrowApi,
  stores,
  http: parts => ({
    ...escrowHandlers(parts),
    ...bondHandlers(parts),
    ...bondReadHandlers(parts),
    ...receiptHandlers(parts),
    ...rewardHandlers(parts),
    ...internalHandlers(parts),
  }),
  events,
  awaits,
  jobs,
  started: async parts => {
    const { tvl, networks } = parts
    await tvl.open()
    await addMadeSlashes(parts)
    // addresses are shown in answers; the relayer may come up later
    await Promise.allSettled(chains.map(chain => networks.contracts(chain)))
    return undefined
  },
})
