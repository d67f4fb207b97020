import { chainRelayer } from '@carapace/chain-relayer'
import { commerce } from '@carapace/commerce'
import { domains } from '@carapace/domains'
import { escrow } from '@carapace/escrow'
import { identity } from '@carapace/identity'
import { marketplace } from '@carapace/marketplace'
import { notifications } from '@carapace/notifications'
import { reputation } from '@carapace/reputation'
import type { AnyService } from '@carapace/service'
import { social } from '@carapace/social'
import { swarm } from '@carapace/swarm'
import { treasury } from '@carapace/treasury'

/** Every service of the platform; the relayer, whose networks the others read, is the first. */
export const services: readonly AnyService[] = [
  chainRelayer,
  identity,
  reputation,
  marketplace,
  swarm,
  escrow,
  commerce,
  treasury,
  domains,
  social,
  notifications,
]
