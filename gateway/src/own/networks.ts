import { setTimeout as sleep } from 'node:timers/promises'
import { type KnownNetwork, networkReader } from '@carapace/chain'
import type { Peers } from '@carapace/service'

/** Both networks. @throws DEPENDENCY_UNAVAILABLE while nobody knows them yet */
export type NetworkSource = () => Promise<readonly KnownNetwork[]>

const requestForMs = 60_000
const retryMs = 500

/** Polls the relayer until it answers, for a minute: services of one system start in any order. Undefined if it does not. */
export async function requestNetworks(peers: Peers): Promise<readonly KnownNetwork[] | undefined> {
  const networks = networkReader({ peers })
  for (const end = Date.now() + requestForMs; Date.now() < end; await sleep(retryMs)) {
    const known = await networks.all().catch(() => undefined)
    if (known) return known
  }
  return undefined
}
