import { type Chain, chains } from '@carapace/api'
import { perChain } from '@carapace/chain'
import { type FaultyNode, startFaultyHttpNode, startFaultyNode } from '@carapace/testing'
import { computeAddress, JsonRpcProvider } from 'ethers'
import { loadKeys } from '../keys.ts'
import { startNetworks } from '../networks.ts'
import { temporaryDataDir } from '../testing/child.ts'
import { startEmbeddedSystem } from '../torture/embedded.ts'
import type { Subject } from '../torture/subject.ts'

/** One chain as a fault gets at it. */
export interface ChainUnderTest {
  chain: Chain
  /** What the platform uses as its node. */
  node: FaultyNode
  /** A call to the devnet itself, past the faulty node. */
  rpc(method: string, params?: unknown[]): Promise<unknown>
  /** anvil's process. */
  pid(): number
  /** Who sends the platform's transactions. */
  lane: string
  random: () => number
}

export interface ChainSubject {
  subject: Subject
  chains: Record<Chain, ChainUnderTest>
  end(): Promise<void>
}

/**
 * The embedded start on devnets of this process, each reached through a node whose faults can be switched on, one by WebSocket and one by HTTP only;
 * users reach the devnets directly.
 */
export async function startChainSubject(random: () => number): Promise<ChainSubject> {
  const folder = await temporaryDataDir()
  const keys = await loadKeys(folder.path)
  const networks = await startNetworks(folder.path, [0, 0], keys, 'http://127.0.0.1', message => console.log(`  ${message}`))
  const startNode: Record<Chain, () => Promise<FaultyNode>> = {
    BASE_SEPOLIA: () => startFaultyNode(networks.rpcUrls.BASE_SEPOLIA.replace(/^http/, 'ws'), random),
    SKALE_TESTNET: () => startFaultyHttpNode(networks.rpcUrls.SKALE_TESTNET, random),
  }
  const nodes = await perChainAsync(chain => startNode[chain]())
  const providers = perChain(chain => new JsonRpcProvider(networks.rpcUrls[chain], undefined, { staticNetwork: true, cacheTimeout: -1 }))
  const end = async () => {
    for (const chain of chains) providers[chain].destroy()
    await Promise.all(chains.map(chain => nodes[chain].close()))
    await networks.close()
    await folder.remove()
  }
  try {
    const urls = Object.fromEntries(chains.map(chain => [`${chain}_RPC_URL`, nodes[chain].url]))
    const subject = await startEmbeddedSystem({
      variables: { ...networks.environment, ...urls },
      rpcUrls: networks.rpcUrls,
      dataDir: folder.path,
    })
    return {
      subject,
      chains: perChain(chain => ({
        chain,
        node: nodes[chain],
        rpc: (method, params = []) => providers[chain].send(method, params),
        pid: () => networks.processes.find(({ name }) => name === chain)!.pid(),
        lane: computeAddress(keys.relayer),
        random,
      })),
      end: async () => {
        await subject.end()
        await end()
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function perChainAsync<T>(make: (chain: Chain) => Promise<T>): Promise<Record<Chain, T>> {
  return Object.fromEntries(await Promise.all(chains.map(async chain => [chain, await make(chain)] as const))) as Record<Chain, T>
}
