import { type Chain, chainRelayerApi, chains, type Network } from '@carapace/api'
import type { Platform } from '@carapace/service'

type Addresses = Network['contracts']

export interface Networks {
  /** Addresses of a network's contracts. @throws DEPENDENCY_UNAVAILABLE */
  contracts(chain: Chain): Promise<Addresses>
  /** All networks are devnets. False when nobody can tell. */
  areDevnets(): Promise<boolean>
  /** The address that sends the platform's transactions and takes in x402 payments. @throws DEPENDENCY_UNAVAILABLE, CHAIN_UNAVAILABLE */
  lane(chain: Chain): Promise<string>
}

/** Asks the relayer once for what does not change while a process runs. */
export function networkReader({ peers }: Pick<Platform, 'peers'>): Networks {
  const known = new Map<Chain, { contracts: Addresses; devnet: boolean }>()
  const lanes = new Map<Chain, string>()
  const load = async () => {
    const { networks } = await peers.call('chain-relayer', chainRelayerApi.internal.chainNetworks)
    for (const { chain, contracts, devnet } of networks) known.set(chain, { contracts, devnet })
  }
  return {
    contracts: async chain => {
      if (!known.has(chain)) await load()
      return known.get(chain)!.contracts
    },
    areDevnets: async () => {
      if (known.size === 0) await load().catch(() => undefined)
      return chains.every(chain => known.get(chain)?.devnet === true)
    },
    lane: async chain => {
      const found = lanes.get(chain)
      if (found) return found
      const { lane } = await peers.call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain } })
      lanes.set(chain, lane.address)
      return lane.address
    },
  }
}
