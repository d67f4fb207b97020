import { type AnyEndpoint, type Chain, chainRelayerApi, chains, type ResponseOf } from '@carapace/api'

const { chainNetworks, chainStatus } = chainRelayerApi.internal

/** A network as the relayer tells of it. */
export type KnownNetwork = ResponseOf<typeof chainNetworks>['networks'][number]
type Contracts = KnownNetwork['contracts']

export interface NetworkReader {
  /** All networks. @throws DEPENDENCY_UNAVAILABLE while nobody knows them yet */
  all(): Promise<readonly KnownNetwork[]>
  /** Addresses of a network's contracts. @throws DEPENDENCY_UNAVAILABLE */
  contracts(chain: Chain): Promise<Contracts>
  /** The same if they are known already, without asking. */
  known(chain: Chain): Contracts | undefined
  /** All networks are devnets. False when nobody can tell. */
  areDevnets(): Promise<boolean>
  /** The address that sends the platform's transactions. @throws DEPENDENCY_UNAVAILABLE, CHAIN_UNAVAILABLE */
  lane(chain: Chain): Promise<string>
}

/** A service's way to the relayer: its `peers`. */
interface Relayer {
  call<E extends AnyEndpoint>(service: 'chain-relayer', endpoint: E, args?: { params?: Record<string, string> }): Promise<ResponseOf<E>>
}

/**
 * Asks the relayer once for what does not change while a process runs.
 * @example const networks = networkReader(platform); const { escrow } = await networks.contracts('BASE_SEPOLIA')
 */
export function networkReader({ peers }: { peers: Relayer }): NetworkReader {
  let known: readonly KnownNetwork[] = []
  const lanes = new Map<Chain, string>()
  const ask = async () => {
    known = (await peers.call('chain-relayer', chainNetworks)).networks
  }
  const of = (chain: Chain) => known.find(network => network.chain === chain)
  return {
    all: async () => {
      if (known.length === 0) await ask()
      return known
    },
    contracts: async chain => {
      if (!of(chain)) await ask()
      return of(chain)!.contracts
    },
    known: chain => of(chain)?.contracts,
    areDevnets: async () => {
      if (known.length === 0) await ask().catch(() => undefined)
      return chains.every(chain => of(chain)?.devnet === true)
    },
    lane: async chain => {
      const found = lanes.get(chain)
      if (found) return found
      const { lane } = await peers.call('chain-relayer', chainStatus, { params: { chain } })
      lanes.set(chain, lane.address)
      return lane.address
    },
  }
}
