import { type Chain, chainRelayerApi } from '@carapace/api'
import type { Platform } from '@carapace/service'

type Contracts = { usdc: string; escrow: string; bond: string; swarmValidator: string }

export interface Networks {
  /** Addresses of a network's contracts, asked of the relayer once. @throws DEPENDENCY_UNAVAILABLE */
  contracts(chain: Chain): Promise<Contracts>
  /** The same if they are known already, without asking. */
  known(chain: Chain): Contracts | undefined
}

export function networkReader({ peers }: Pick<Platform, 'peers'>): Networks {
  const addresses = new Map<Chain, Contracts>()
  return {
    contracts: async chain => {
      const found = addresses.get(chain)
      if (found) return found
      const { networks } = await peers.call('chain-relayer', chainRelayerApi.internal.chainNetworks)
      for (const network of networks) addresses.set(network.chain, network.contracts)
      return addresses.get(chain)!
    },
    known: chain => addresses.get(chain),
  }
}
