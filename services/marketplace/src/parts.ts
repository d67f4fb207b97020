import { type AgentProjection, agentProjection } from '@carapace/projections'
import type { Platform } from '@carapace/service'
import type { AggregateStore } from '@carapace/store'
import { type ApplicationStore, applicationStore } from './application.store.ts'
import { type Bonds, bondProjection } from './bonds.ts'
import { type Comment, commentStore, type WorkEntry, workStore } from './collaboration.store.ts'
import { type CrewStore, crewStore } from './crew.store.ts'
import { type GigStore, gigStore } from './gig.store.ts'
import { type OfferStore, offerStore } from './offer.store.ts'

/** The collections of the marketplace. */
export interface Stores {
  gigs: GigStore
  applications: ApplicationStore
  offers: OfferStore
  crews: CrewStore
  comments: AggregateStore<Comment>
  workLog: AggregateStore<WorkEntry>
  agents: AgentProjection
  bonds: Bonds
}
export type Parts = Stores & Platform

export const stores = (platform: Platform): Stores => ({
  gigs: gigStore(platform.db),
  applications: applicationStore(platform.db),
  offers: offerStore(platform.db),
  crews: crewStore(platform.db),
  comments: commentStore(platform.db),
  workLog: workStore(platform.db),
  agents: agentProjection(platform),
  bonds: bondProjection(platform),
})
