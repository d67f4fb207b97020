import { chainRelayerApi } from './chain-relayer.ts'
import { commerceApi } from './commerce.ts'
import { domainsApi } from './domains.ts'
import { escrowApi } from './escrow.ts'
import { gatewayApi } from './gateway.ts'
import { identityApi } from './identity.ts'
import { marketplaceApi } from './marketplace.ts'
import { notificationsApi } from './notifications.ts'
import { reputationApi } from './reputation.ts'
import { socialApi } from './social.ts'
import { swarmApi } from './swarm.ts'
import { treasuryApi } from './treasury.ts'

/** Of the interface documents; the paths carry no version. */
export const apiVersion = '0.1.0'

/** Named, so that what is inferred of each service is written down once and not again here. */
interface Apis {
  identity: typeof identityApi
  reputation: typeof reputationApi
  marketplace: typeof marketplaceApi
  swarm: typeof swarmApi
  escrow: typeof escrowApi
  commerce: typeof commerceApi
  treasury: typeof treasuryApi
  domains: typeof domainsApi
  social: typeof socialApi
  notifications: typeof notificationsApi
  'chain-relayer': typeof chainRelayerApi
  gateway: typeof gatewayApi
}

/** Every service's declarations, by service. */
export const apis: Apis = {
  identity: identityApi,
  reputation: reputationApi,
  marketplace: marketplaceApi,
  swarm: swarmApi,
  escrow: escrowApi,
  commerce: commerceApi,
  treasury: treasuryApi,
  domains: domainsApi,
  social: socialApi,
  notifications: notificationsApi,
  'chain-relayer': chainRelayerApi,
  gateway: gatewayApi,
}
