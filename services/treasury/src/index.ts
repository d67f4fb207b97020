import { treasuryApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { awaits } from './awaits.ts'
import { events } from './events.ts'
import { internalHandlers } from './http/internal.ts'
import { paymentHandlers } from './http/payments.ts'
import { providerHandlers } from './http/provider.ts'
import { walletHandlers } from './http/wallets.ts'
import { x402Handlers } from './http/x402.ts'
import { jobs } from './jobs.ts'
import { stores } from './parts.ts'

export const treasury = defineService({
  api: treasuryApi,
  stores,
  http: parts => ({
    ...walletHandlers(parts),
    ...paymentHandlers(parts),
    ...providerHandlers(parts),
    ...x402Handlers(parts),
    ...internalHandlers(parts),
  }),
  events,
  awaits,
  jobs,
})
