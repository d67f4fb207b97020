import type { Chain } from '@carapace/api'
import { type NetworkReader, networks } from '@carapace/chain'

export const registryOf = (chain: Chain): string => networks[chain].canonical.IdentityRegistry
/** CAIP-10 name of the identity registry of a network. */
export const agentRegistry = (chain: Chain): string => `eip155:${networks[chain].chainId}:${registryOf(chain)}`

export interface CardContracts {
  /** Address of the card contract; null while nobody knows it: reads do not fail for want of it. */
  of(chain: Chain): Promise<string | null>
}

const pauseMs = 5_000

/** Queries the relayer until its first answer, every few seconds at most. */
export function cardContracts(reader: NetworkReader): CardContracts {
  let nextReadAt = 0
  return {
    of: async chain => {
      if (!reader.cachedContracts(chain) && Date.now() >= nextReadAt) {
        nextReadAt = Date.now() + pauseMs
        await reader.all().catch(() => undefined)
      }
      return reader.cachedContracts(chain)?.card ?? null
    },
  }
}
