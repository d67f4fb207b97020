import { type AnyEndpoint, type Chain, chainRelayerApi, chains, type ResponseOf } from '@carapace/api'

const { chainNetworks, chainStatus } = chainRelayerApi.internal

/** A network as the relayer describes it. */
export type KnownNetwork = ResponseOf<typeof chainNetworks>['networks'][number]
type Contracts = KnownNetwork['contracts']
/** A contract that may have been replaced. */
type ReplacedName = keyof NonNullable<KnownNetwork['formerContracts']>

export interface NetworkReader {
  /** All networks. @throws DEPENDENCY_UNAVAILABLE while nobody knows them yet */
  all(): Promise<readonly KnownNetwork[]>
  /** One network. @throws DEPENDENCY_UNAVAILABLE while nobody knows it yet */
  of(chain: Chain): Promise<KnownNetwork>
  /** Addresses of a network's contracts. @throws DEPENDENCY_UNAVAILABLE */
  contracts(chain: Chain): Promise<Contracts>
  /** The same if they are known already, without a request. */
  cachedContracts(chain: Chain): Contracts | undefined
  /** Where records of a contract may be, oldest first: the last one has the new ones. @throws DEPENDENCY_UNAVAILABLE */
  everyContract(chain: Chain, name: ReplacedName): Promise<readonly string[]>
  /**
   * Which of these contracts is, or was, at an address; requested again before it is none: it may have been deployed since this process started.
   * @throws DEPENDENCY_UNAVAILABLE
   */
  contractAt<Name extends ReplacedName>(chain: Chain, names: readonly Name[], address: string): Promise<Name | undefined>
  /** As `everyContract` if they are known already, without a request. */
  cachedEveryContract(chain: Chain, name: ReplacedName): readonly string[] | undefined
  /** Whether a network is a devnet, without waiting; undefined while it is unknown, and then it is requested. */
  isDevnet(chain: Chain): boolean | undefined
  /** Requests all of it now, so that answers have it without waiting. Resolves also while nobody knows it: it is requested again where it is needed. */
  readAhead(): Promise<void>
  /** All networks are devnets. False when it is unknown. */
  areDevnets(): Promise<boolean>
  /** The address that sends the platform's transactions, as of some seconds ago: keys may be exchanged. @throws DEPENDENCY_UNAVAILABLE, CHAIN_UNAVAILABLE */
  lane(chain: Chain): Promise<string>
  /** It, and every address that sent them before, where x402 payments may be, too. @throws DEPENDENCY_UNAVAILABLE, CHAIN_UNAVAILABLE */
  everyLane(chain: Chain): Promise<readonly string[]>
  /** Whether an address is one of those; requested again before it is denied. @throws DEPENDENCY_UNAVAILABLE, CHAIN_UNAVAILABLE */
  isLane(chain: Chain, address: string): Promise<boolean>
}

/** Milliseconds between the requests of those who do not wait for the answer. */
const pauseMs = 5_000
/** An address that sends may be offered for payments for so long. */
const laneMs = 10_000
/** Before so long nothing new is requested about an address that is none of ours. */
const strangerMs = 1_000

/** A service's way to the relayer: its `peers`. */
interface Relayer {
  call<E extends AnyEndpoint>(service: 'chain-relayer', endpoint: E, args?: { params?: Record<string, string> }): Promise<ResponseOf<E>>
}

/**
 * Requests from the relayer once for what does not change while a process runs, and again what may.
 * @example const networks = networkReader(platform); const { escrow } = await networks.contracts('BASE_SEPOLIA')
 */
export function networkReader({ peers }: { peers: Relayer }): NetworkReader {
  let profiles: readonly KnownNetwork[] = []
  let nextRequestAt = 0
  const lanes = lanesOf(peers)
  const request = async () => {
    profiles = (await peers.call('chain-relayer', chainNetworks)).networks
  }
  const of = (chain: Chain) => profiles.find(network => network.chain === chain)
  const networkOf = async (chain: Chain): Promise<KnownNetwork> => {
    if (!of(chain)) await request()
    return of(chain)!
  }
  return {
    all: async () => {
      if (profiles.length === 0) await request()
      return profiles
    },
    of: networkOf,
    contracts: async chain => (await networkOf(chain)).contracts,
    cachedContracts: chain => of(chain)?.contracts,
    everyContract: async (chain, name) => placesOf(await networkOf(chain), name),
    contractAt: async (chain, names, address) => {
      const find = async () => {
        const network = await networkOf(chain)
        return names.find(name => placesOf(network, name).includes(address))
      }
      const found = await find()
      if (found !== undefined) return found
      await request()
      return find()
    },
    cachedEveryContract: (chain, name) => {
      const network = of(chain)
      return network && placesOf(network, name)
    },
    isDevnet: chain => {
      if (!of(chain) && Date.now() >= nextRequestAt) {
        nextRequestAt = Date.now() + pauseMs
        void request().catch(() => undefined)
      }
      return of(chain)?.devnet
    },
    readAhead: () => request().catch(() => undefined),
    areDevnets: async () => {
      if (profiles.length === 0) await request().catch(() => undefined)
      return chains.every(chain => of(chain)?.devnet === true)
    },
    lane: async chain => (await lanes(chain, laneMs)).address,
    everyLane: async chain => (await lanes(chain, strangerMs)).all,
    isLane: async (chain, address) =>
      (await lanes(chain, Number.POSITIVE_INFINITY)).all.includes(address) || (await lanes(chain, strangerMs)).all.includes(address),
  }
}

interface LaneAddresses {
  address: string
  all: readonly string[]
}

/** The addresses that send and sent, no older than the second argument says; older ones where nobody answers. */
function lanesOf(peers: Relayer): (chain: Chain, ms: number) => Promise<LaneAddresses> {
  const read = new Map<Chain, { at: number; lanes: LaneAddresses }>()
  return async (chain, ms) => {
    const cached = read.get(chain)
    if (cached && performance.now() - cached.at < ms) return cached.lanes
    try {
      const { lane, laneAddresses = [lane.address] } = await peers.call('chain-relayer', chainStatus, { params: { chain } })
      const lanes = { address: lane.address, all: laneAddresses }
      read.set(chain, { at: performance.now(), lanes })
      return lanes
    } catch (error) {
      if (cached) return cached.lanes
      throw error
    }
  }
}

const placesOf = ({ contracts, formerContracts }: KnownNetwork, name: ReplacedName): readonly string[] => [
  ...(formerContracts?.[name] ?? []),
  contracts[name],
]
