import { chainRelayerApi, chains } from '@carapace/api'
import type { Peers } from '@carapace/service'

type Check = () => boolean | Promise<boolean>
export interface ReadinessParts {
  /** Name → whether it is there now. Without one of these the gateway cannot serve. */
  needed: Record<string, Check>
  /** Name → whether it is there now. Without these it serves, and less is behind it. */
  useful: Record<string, Check>
  isDraining: () => boolean
}
export interface Readiness {
  status: 'ready' | 'not ready' | 'draining'
  checks: Record<string, boolean>
  /** Names of what is useful and not there. */
  degraded: string[]
}

/** Whether new requests should be sent here. */
export async function readiness({ needed, useful, isDraining }: ReadinessParts): Promise<Readiness> {
  const [must, may] = await Promise.all([results(needed), results(useful)])
  const status = isDraining() ? 'draining' : must.every(([, isThere]) => isThere) ? 'ready' : 'not ready'
  const degraded = may.filter(([, isThere]) => !isThere).map(([name]) => name)
  return { status, checks: Object.fromEntries([...must, ...may]), degraded }
}

const results = (checks: Record<string, Check>): Promise<[string, boolean][]> =>
  Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, boolean]> => {
      const isThere = await Promise.resolve()
        .then(check)
        .catch(() => false)
      return [name, isThere]
    }),
  )

const freshMs = 2_000
const timeoutMs = 1_000

/** Whether the relayer reaches each network. Anyone may ask for readiness, so its answers are kept for 2 s. */
export function chainChecks(peers: Peers): Record<string, Check> {
  const checkOf = (chain: string): Check => {
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
