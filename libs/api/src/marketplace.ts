import { serviceApi } from './core/service-api.ts'
import * as collaboration from './marketplace/collaboration.ts'
import { consumes } from './marketplace/consumes.ts'
import * as crews from './marketplace/crews.ts'
import * as events from './marketplace/events.ts'
import * as gigs from './marketplace/gigs.ts'
import * as hiring from './marketplace/hiring.ts'
import {
  announceGigsAndCrews,
  getCrewRow,
  getGigEscrowStatus,
  getGigRow,
  hireByMessage,
  listAgentCrewRows,
  listAgentGigRows,
  listApplicantsAndComments,
  settleAcceptance,
} from './marketplace/internal.ts'

/** Gigs, applications, offers, crews, comments, plan and work log, fee estimate. */
export const marketplaceApi = serviceApi('marketplace', {
  endpoints: { ...gigs, ...hiring, ...collaboration, ...crews },
  internal: {
    getGigRow,
    getGigEscrowStatus,
    listApplicantsAndComments,
    listAgentGigRows,
    getCrewRow,
    listAgentCrewRows,
    settleAcceptance,
    hireByMessage,
    announceGigsAndCrews,
  },
  events,
  consumes,
})
