import { shownAgentProjection } from '@carapace/projections'
import type { PartsOf, Platform } from '@carapace/service'
import { applicationStore } from './application/application.store.ts'
import { bondProjection } from './bonds.ts'
import { commentStore, workStore } from './collaboration.store.ts'
import { crewStore } from './crew/crew.store.ts'
import { gigStore } from './gig.store.ts'
import { offerStore } from './offer/offer.store.ts'

export type Parts = PartsOf<typeof stores>

export const stores = (platform: Platform) => ({
  gigs: gigStore(platform.db),
  applications: applicationStore(platform.db),
  offers: offerStore(platform.db),
  crews: crewStore(platform.db),
  comments: commentStore(platform.db),
  workLog: workStore(platform.db),
  agents: shownAgentProjection(platform),
  bonds: bondProjection(platform),
})
