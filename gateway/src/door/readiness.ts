import { chainRelayerApi, chains } from '@carapace/api'
import type { Peers, ReadinessParts } from '@carapace/service'

const freshMs = 2_000
const timeoutMs = 1_000

/** Whether the relayer reaches each network. Anyone may request readiness, so its answers are cached for 2 s. */
export function chainChecks(peers: Peers): ReadinessParts['useful'] {
  const checkOf = (chain: string): (() => Promise<boolean>) => {
    let latest: { at: number; isThere: Promise<boolean> } | undefined
    const request = () =>
      peers.call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain }, timeoutMs }).then(
        () => true,
        () => false,
      )
    return () => {
      if (latest === undefined || performance.now() - latest.at > freshMs) latest = { at: performance.now(), isThere: request() }
      return latest.isThere
    }
  }
  return Object.fromEntries(chains.map(chain => [chain, checkOf(chain)]))
}
