import { type NetworkReader, networkReader } from '@carapace/chain'
import { type AgentProjection, agentProjection } from '@carapace/projections'
import { type PerKeyQueue, type Platform, perKeyQueue } from '@carapace/service'
import { type Projection, projection } from '@carapace/store'
import { Schema } from 'mongoose'
import { type Facts, factProjections } from './facts.ts'
import { type RewardStore, rewardStore } from './reward.store.ts'
import type { GigOutcome } from './supersede.ts'
import { type ValidationStore, validationStore } from './validation.store.ts'

interface DecidedGig {
  outcome: GigOutcome
}

export interface Stores {
  validations: ValidationStore
  rewards: RewardStore
  agents: AgentProjection
  facts: Facts
  /** Gigs whose money was decided about for good, and how. */
  decided: Projection<DecidedGig>
  networks: NetworkReader
  /** Of appeals by validation, of claims by validator: transactions on one aggregate run one after another. */
  queue: PerKeyQueue
}
export type Parts = Stores & Platform

export const stores = (platform: Platform): Stores => ({
  validations: validationStore(platform.db),
  rewards: rewardStore(platform.db),
  agents: agentProjection(platform),
  facts: factProjections(platform),
  decided: projection<DecidedGig>(platform.db, { collection: 'decided_gigs', schema: new Schema<DecidedGig>({ outcome: String }) }),
  networks: networkReader(platform),
  queue: perKeyQueue(),
})
