import type { Chain } from '@carapace/api'
import { type NetworkReader, orFirst } from '@carapace/chain'
import type { Domain } from './domain.ts'

type Placed = Pick<Domain, 'chain' | 'registry' | 'elsewhere'>

/**
 * The registry that has a name, or will: where it was first reserved on this network, else the newest one.
 * @param present the name's record; undefined: there is none yet
 * @param registries of the network, oldest first
 */
export function registryAmong(present: Placed | undefined, chain: Chain, registries: readonly string[]): string {
  const stored = present?.chain === chain ? (present.registry ?? null) : present?.elsewhere?.[chain]
  return stored === undefined ? registries.at(-1)! : orFirst(registries, stored)
}

/** What a name stores of its registries on networks other than this one. */
export function registriesElsewhere(present: Placed | undefined, chain: Chain): Pick<Domain, 'elsewhere'> {
  if (!present || present.chain === chain) return {}
  return { elsewhere: { ...present.elsewhere, [present.chain]: present.registry ?? null } }
}

/** The name on a network where it was reserved before: its registry there is the same. */
export function onNetwork(domain: Domain, chain: Chain = domain.chain): Domain {
  if (chain === domain.chain) return domain
  const { registry: _, ...rest } = domain
  const registry = domain.elsewhere?.[chain] ?? undefined
  return { ...rest, chain, ...(registry === undefined ? {} : { registry }), ...registriesElsewhere(domain, chain) }
}

/** The registry that has a name. Before it was stored with a name, there was only one. @throws DEPENDENCY_UNAVAILABLE */
export async function registryOf({ networks }: { networks: NetworkReader }, domain: Placed): Promise<string> {
  return domain.registry ?? registryAmong(domain, domain.chain, await networks.everyContract(domain.chain, 'domains'))
}
