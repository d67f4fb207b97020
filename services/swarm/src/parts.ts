import { networkReader } from '@carapace/chain'
import { seenAgentProjection } from '@carapace/projections'
import type { PartsOf, Platform } from '@carapace/service'
import { factProjections } from './facts.ts'
import { rewardStore } from './reward/reward.store.ts'
import { candidateList } from './selection/candidate-list.store.ts'
import { mayMove } from './selection/candidate-list.ts'
import { drawStore } from './selection/draw.store.ts'
import { decidedGigs } from './validation/decided-gig.store.ts'
import { validationStore } from './validation/validation.store.ts'

export type Parts = PartsOf<typeof stores>

export const stores = (platform: Platform) => {
  const agents = seenAgentProjection(platform, agent => candidates.follow(agent), mayMove)
  const candidates = candidateList(platform, agents)
  return {
    validations: validationStore(platform.db),
    draws: drawStore(platform.db),
    rewards: rewardStore(platform.db),
    agents,
    candidates,
    facts: factProjections(platform),
    decided: decidedGigs(platform.db),
    networks: networkReader(platform),
  }
}
