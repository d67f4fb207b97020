import { chainEventRemoved, contractEvents } from './chain-relayer/events.ts'
import { relayerReads } from './chain-relayer/internal.ts'
import { operatorEndpoints } from './chain-relayer/operations.ts'
import { commandOutcomes } from './chain-relayer/outcomes.ts'
import { chains } from './core/fields.ts'
import { serviceApi } from './core/service-api.ts'

/** The only one that signs and talks to the networks: commands in, outcomes and contract events out. */
export const chainRelayerApi = serviceApi('chain-relayer', {
  endpoints: operatorEndpoints,
  internal: relayerReads,
  events: { ...commandOutcomes, chainEventRemoved, ...contractEvents },
  commandsOf: chains,
})
