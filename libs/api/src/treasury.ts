import { ledgerEndpoints } from './core/doctor.ts'
import { serviceApi } from './core/service-api.ts'
import { consumes } from './treasury/consumes.ts'
import * as events from './treasury/events.ts'
import { announceWallets, getReservation, getSpendable, getWalletRow, reserveFunds } from './treasury/internal.ts'
import * as provider from './treasury/provider.ts'
import * as wallets from './treasury/wallets.ts'
import * as x402 from './treasury/x402.ts'
import { closeX402, collectX402, holdX402, returnX402 } from './treasury/x402-internal.ts'

/** Custodial wallets, ledger, payments, limits, wallet provider, x402 settlements and facilitator. */
export const treasuryApi = serviceApi('treasury', {
  endpoints: { ...wallets, ...provider, ...x402 },
  internal: {
    getWalletRow,
    getSpendable,
    reserveFunds,
    getReservation,
    announceWallets,
    collectX402,
    closeX402,
    holdX402,
    returnX402,
    ...ledgerEndpoints,
  },
  events,
  consumes,
})
