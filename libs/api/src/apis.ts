import { chainRelayerApi } from './chain-relayer.ts'
import { escrowApi } from './escrow.ts'
import { gatewayApi } from './gateway.ts'
import { identityApi } from './identity.ts'
import { marketplaceApi } from './marketplace.ts'
import { notificationsApi } from './notifications.ts'
import { reputationApi } from './reputation.ts'
import { swarmApi } from './swarm.ts'
import { treasuryApi } from './treasury.ts'

/** Every service's declarations, by service. */
export const apis = {
  identity: identityApi,
  reputation: reputationApi,
  marketplace: marketplaceApi,
  swarm: swarmApi,
  escrow: escrowApi,
  treasury: treasuryApi,
  notifications: notificationsApi,
  'chain-relayer': chainRelayerApi,
  gateway: gatewayApi,
}
