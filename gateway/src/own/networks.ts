import { chainRelayerApi, type Network } from '@carapace/api'
import type { Peers } from '@carapace/service'

export type NetworkInfo = Network & {
  devnet: boolean
  /** Blocks on top of one that make it final. */
  finalityBlocks?: number
}

/** Both networks. @throws DEPENDENCY_UNAVAILABLE while nobody knows them yet */
export type NetworkSource = () => Promise<NetworkInfo[]>

/** Networks and contracts do not change while the system runs: asked of the relayer until it has answered once. */
export function networkSource(peers: Peers): NetworkSource {
  let known: NetworkInfo[] | undefined
  return async () => {
    known ??= (await peers.call('chain-relayer', chainRelayerApi.internal.chainNetworks)).networks as NetworkInfo[]
    return known
  }
}
