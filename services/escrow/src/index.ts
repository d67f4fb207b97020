import { escrowApi } from '@carapace/api'
import { defineService, type HandlersOf } from '@carapace/service'
import { escrowJobs } from './escrow/jobs.ts'
import { events } from './events.ts'
import { escrowHandlers } from './http/escrows.ts'
import { internalHandlers } from './http/internal.ts'
import { receiptHandlers } from './http/receipts.ts'
import { stores } from './parts.ts'

export const escrow = defineService({
  api: escrowApi,
  stores,
  http: parts => ({ ...escrowHandlers(parts), ...receiptHandlers(parts), ...internalHandlers(parts) }) as unknown as HandlersOf<typeof escrowApi>,
  events,
  jobs: escrowJobs,
  started: async parts => {
    await parts.tvl.open()
    await Promise.all((['BASE_SEPOLIA', 'SKALE_TESTNET'] as const).map(chain => parts.networks.contracts(chain).catch(() => undefined)))
    return undefined
  },
})
