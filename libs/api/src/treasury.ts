import { doctorReport } from './core/doctor.ts'
import { serviceApi } from './core/service-api.ts'
import { consumes } from './treasury/consumes.ts'
import * as events from './treasury/events.ts'
import { announceWallets, getReservation, getSpendable, getWalletRow, reserveFunds } from './treasury/internal.ts'
import * as provider from './treasury/provider.ts'
import * as wallets from './treasury/wallets.ts'
import * as x402 from './treasury/x402.ts'

/** Custodial wallets, ledger, payments, limits, wallet provider, x402 settlements and facilitator. */
export const treasuryApi = serviceApi('treasury', {
  endpoints: { ...wallets, ...provider, ...x402 },
  internal: { getWalletRow, getSpendable, reserveFunds, getReservation, announceWallets, doctorReport },
  events,
  consumes,
})
