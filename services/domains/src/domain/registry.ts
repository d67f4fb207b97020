import type { Chain } from '@carapace/api'
import type { NetworkReader } from '@carapace/chain'
import type { Domain } from './domain.ts'

type Placed = Pick<Domain, 'chain' | 'registry'>

/**
 * The registry that has a name, or will: where it was first reserved on this network, else the newest one.
 * @param present the name's record; undefined: there is none yet
 * @param registries of the network, oldest first
 */
export const registryAmong = (present: Placed | undefined, chain: Chain, registries: readonly string[]): string =>
  present?.chain === chain ? (present.registry ?? registries[0]!) : registries.at(-1)!

/** The registry that has a name. Before it was stored with a name, there was only one. @throws DEPENDENCY_UNAVAILABLE */
export async function registryOf({ networks }: { networks: NetworkReader }, domain: Placed): Promise<string> {
  return domain.registry ?? registryAmong(domain, domain.chain, await networks.everyContract(domain.chain, 'domains'))
}
