import { setTimeout as sleep } from 'node:timers/promises'
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

const askMs = 60_000
const againMs = 500

/** Asks the relayer until it answers, for a minute: services of one system start in any order. Undefined if it does not. */
export async function askForNetworks(peers: Peers): Promise<NetworkInfo[] | undefined> {
  const source = networkSource(peers)
  for (const end = Date.now() + askMs; Date.now() < end; await sleep(againMs)) {
    const known = await source().catch(() => undefined)
    if (known) return known
  }
  return undefined
}
