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

/** Every service's declarations, by service. */
export const apis = {
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
