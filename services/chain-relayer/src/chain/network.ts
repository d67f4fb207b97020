import { type Chain, watchedContractEvents } from '@carapace/api'
import {
  type Addresses,
  contractInterface,
  everyAddress,
  type Former,
  logDecoder,
  type NetworkProfile,
  networks,
  type TokenDomain,
  toChecksum,
} from '@carapace/chain'
import { type Rpc, resultOf } from '../rpc/rpc.ts'

/** Where a network is found, as configured. */
export interface NetworkConfig {
  chain: Chain
  rpcUrl: string
  /** The address that users see; default: rpcUrl. */
  publicRpcUrl?: string
  devnet: boolean
  addresses: Addresses & { Timelock?: string; Multicall3?: string }
  /** Contracts that records of earlier configurations may be on. */
  former?: Former
  /** First block that can hold our contracts' events. */
  startBlock?: number
}

/** A network as the relayer uses it: profile, places and limits in one value. */
export interface Network extends NetworkConfig {
  former: Former
  /** The first contracts that the database knew: what names no contract was opened there. */
  origin: Addresses
  profile: NetworkProfile
  finality: number
  window: number
  blockMs: number
  stuckMs: number
  equalAnswers: number
  decodeLogs: ReturnType<typeof logDecoder>
  /** Only the events that services receive. */
  decodeWatched: ReturnType<typeof logDecoder>
  /** How the logs of these events begin. */
  watchedLogs: readonly WatchedLog[]
  token: TokenDomain
  genesis: string
}

export interface WatchedLog {
  address: string
  /** The event's hash. */
  topic: string
}

/** The node is not the configured network, or the contracts are not there. Stops the start. */
export class WrongNetwork extends Error {
  constructor(chain: Chain, reason: string) {
    super(`${chain}: ${reason}`)
    this.name = 'WrongNetwork'
  }
}

/**
 * Queries the node and compares it with the configuration.
 * @throws WrongNetwork when the chain id differs or a contract has no code; RpcUnavailable when nothing answers
 */
export async function inspectNetwork(config: NetworkConfig, rpc: Rpc): Promise<Network> {
  const profile = networks[config.chain]
  const side = config.devnet ? 'devnet' : 'real'
  const chainId = Number(await rpc.call('eth_chainId', []))
  if (chainId !== profile.chainId) throw new WrongNetwork(config.chain, `the node says chain id ${chainId}, expected ${profile.chainId}`)
  const names = Object.keys(config.addresses) as (keyof Addresses)[]
  await requireContracts(config, rpc)
  const addresses = Object.fromEntries(names.map(name => [name, toChecksum(config.addresses[name])])) as unknown as Addresses
  const former: Former = Object.fromEntries(Object.entries(config.former ?? {}).map(([name, all]) => [name, all.map(toChecksum)]))
  const genesis = (await rpc.call('eth_getBlockByNumber', ['0x0', false])) as { hash: string }
  return {
    ...config,
    addresses,
    former,
    origin: Object.fromEntries(names.map(name => [name, everyAddress(name, addresses, former)[0]])) as unknown as Addresses,
    profile,
    finality: profile.finality[side],
    window: profile.window[side],
    blockMs: profile.blockMs[side],
    stuckMs: profile.stuckMs[side],
    equalAnswers: profile.equalAnswers[side],
    decodeLogs: logDecoder(addresses, undefined, former),
    decodeWatched: logDecoder(addresses, watchedContractEvents, former),
    watchedLogs: watchedLogs(addresses, former),
    token: {
      name: await text(rpc, config.addresses.USDC, 'name'),
      version: await text(rpc, config.addresses.USDC, 'version'),
      chainId,
      verifyingContract: config.addresses.USDC,
    },
    genesis: genesis.hash,
  }
}

function watchedLogs(addresses: Addresses, former: Former): WatchedLog[] {
  const logs: WatchedLog[] = []
  for (const contract of Object.keys(watchedContractEvents) as (keyof typeof watchedContractEvents)[]) {
    const names: readonly string[] = watchedContractEvents[contract]
    for (const address of everyAddress(contract, addresses, former))
      contractInterface(contract).forEachEvent(({ name, topicHash: topic }) => {
        if (names.includes(name)) logs.push({ address, topic })
      })
  }
  return logs
}

/** @throws WrongNetwork with the contracts that have no code */
export async function requireContracts(
  { chain, addresses, former = {} }: Pick<NetworkConfig, 'chain' | 'addresses' | 'former'>,
  rpc: Rpc,
): Promise<void> {
  const earlier = Object.entries(former).flatMap(([name, all]) => all.map(address => [name, address] as const))
  const all = [...Object.entries(addresses), ...earlier]
  const replies = await rpc.batch(all.map(([, address]) => ({ method: 'eth_getCode', params: [address, 'latest'] })))
  const codes = replies.map(reply => resultOf('eth_getCode', reply))
  const missing = all.filter((_, index) => codes[index] === '0x' || !codes[index])
  if (missing.length) throw new WrongNetwork(chain, `no contract code at ${missing.map(entry => entry.join(' ')).join(', ')}`)
}

/** The token's EIP-712 domain is read from the token: it differs between networks. */
async function text(rpc: Rpc, to: string, fn: 'name' | 'version'): Promise<string> {
  const abi = contractInterface('USDC')
  const answer = await rpc.call('eth_call', [{ to, data: abi.encodeFunctionData(fn) }, 'latest'])
  return String(abi.decodeFunctionResult(fn, String(answer))[0])
}
