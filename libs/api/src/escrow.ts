import { ledgerEndpoints } from './core/doctor.ts'
import { getReservationUse } from './core/reservation-use.ts'
import { serviceApi } from './core/service-api.ts'
import * as bondEvents from './escrow/bond-events.ts'
import * as bonds from './escrow/bonds.ts'
import { consumes } from './escrow/consumes.ts'
import * as escrows from './escrow/escrows.ts'
import * as events from './escrow/events.ts'
import {
  announceEscrowsAndBonds,
  fundRewards,
  getAgentMoney,
  getBondRow,
  getEscrowRow,
  getGigMoney,
  getSlashRow,
  listGigDecisions,
  lockBondForGig,
  noteVerdict,
  payRewardClaim,
  quoteFunding,
  unlockBondForGig,
} from './escrow/internal.ts'
import * as receipts from './escrow/receipts.ts'

/** Gig escrow, bonds, caps, fee pool, trust receipts, earnings. */
export const escrowApi = serviceApi('escrow', {
  endpoints: { ...escrows, ...bonds, ...receipts },
  internal: {
    getEscrowRow,
    getBondRow,
    getSlashRow,
    getGigMoney,
    getAgentMoney,
    listGigDecisions,
    lockBondForGig,
    unlockBondForGig,
    announceEscrowsAndBonds,
    payRewardClaim,
    fundRewards,
    noteVerdict,
    quoteFunding,
    getReservationUse,
    ...ledgerEndpoints,
  },
  events: { ...events, ...bondEvents },
  consumes,
})
