import { type Chain, chainRelayerApi } from '@carapace/api'
import { networks } from '@carapace/chain'
import type { Peers } from '@carapace/service'

export const registryOf = (chain: Chain): string => networks[chain].canonical.IdentityRegistry
/** CAIP-10 name of the identity registry of a network. */
export const agentRegistry = (chain: Chain): string => `eip155:${networks[chain].chainId}:${registryOf(chain)}`

export interface CardContracts {
  /** Address of the card contract; null while nobody knows it: reads do not fail for want of it. */
  of(chain: Chain): Promise<string | null>
}

const pauseMs = 5_000

/** Asks the relayer until it has answered once. */
export function cardContracts(peers: Peers): CardContracts {
  const known = new Map<Chain, string>()
  let askAgainAt = 0
  return {
    of: async chain => {
      if (!known.has(chain) && Date.now() >= askAgainAt) {
        askAgainAt = Date.now() + pauseMs
        const answer = await peers.find('chain-relayer', chainRelayerApi.internal.chainNetworks).catch(() => undefined)
        for (const network of answer?.networks ?? []) known.set(network.chain, network.contracts.card)
      }
      return known.get(chain) ?? null
    },
  }
}
