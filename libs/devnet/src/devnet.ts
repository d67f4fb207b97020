import { join } from 'node:path'
import { createChain } from './chain.ts'
import { openChainStorage } from './chain-storage.ts'
import { openDoor } from './door.ts'
import { createMiner } from './miner.ts'
import { type Node, stopNode } from './node.ts'
import type { Network } from './process.ts'
import { startThrowAway } from './throwaway.ts'
import { RpcError, type Upstream } from './upstream.ts'

/** A JSON-RPC call straight to anvil; fails with RpcError. Nothing else reaches the chain while a deployment runs. */
export type Rpc = <T = unknown>(method: string, params?: unknown[]) => Promise<T>

export type DevnetOptions<A> = {
  network: Network
  /** Loopback port of the door; 0 = a free one. */
  port: number
  /** Where the chain is stored over restarts. Absent: a throw-away network that dies with this process. */
  dataDir?: string
  /** Throw-away only: where the deployed state is prepared once, for quick starts. Name the folder after what is deployed. */
  preparedDir?: string
  mining?: { debounceMs?: number; heartbeatMs?: number }
  /** Runs once on a new chain; its answer is stored with the chain. */
  deploy: (rpc: Rpc) => Promise<A>
  /** Runs on a stored chain: throws when that is not what would be deployed now. It must change nothing. */
  check?: (rpc: Rpc) => Promise<void>
  /** A changed chain is dumped after so many seconds, or earlier when its journal grew long. */
  dumpAfterSec?: number
  log?: (message: string) => void
}

export type Devnet<A> = {
  chain: string
  chainId: number
  /** The door: what the platform publishes, and what relayer and users go through. */
  rpcUrl: string
  wsUrl: string
  /** anvil itself. Internal: what changes the chain here is not journaled. */
  readonly anvilUrl: string
  readonly pid: number
  addresses: A
  /** Moves the chain's clock forward and mines a block. */
  advanceTime: (seconds: number) => Promise<void>
  close: () => Promise<void>
}

const defaultDebounceMs = 20
const defaultHeartbeatMs = 10_000
const defaultDumpAfterSec = 30
const outageLimitMs = 20_000
const restoreTries = 3

/**
 * Starts one devnet: anvil, the miner, and the JSON-RPC door in front of it. With `dataDir` everything that went through the door is there again
 * after a restart, also after a kill -9 of anvil, of this process, or of both.
 * @example const devnet = await startDevnet({ network, port: 8545, dataDir: '.carapace/devnet/BASE_SEPOLIA', deploy: deployDevnet })
 */
export async function startDevnet<A>(options: DevnetOptions<A>): Promise<Devnet<A>> {
  const { network, dataDir, log = () => undefined, dumpAfterSec = defaultDumpAfterSec } = options
  const { debounceMs = defaultDebounceMs, heartbeatMs = defaultHeartbeatMs } = options.mining ?? {}
  const deploy = (upstream: Upstream) => options.deploy(upstream.request)
  const check = async (upstream: Upstream) => options.check?.(upstream.request)

  const storage = dataDir === undefined ? undefined : await openChainStorage({ network, dir: dataDir, deploy, check, dumpAfterSec, log })
  const backing = storage ?? fixed(await startThrowAway({ network, deploy, preparedDir: options.preparedDir }))
  const { node } = backing
  return await serve().catch(async (error: Error) => {
    await backing.close()
    throw error
  })

  async function serve(): Promise<Devnet<A>> {
    let closing = false
    let serving: Promise<void> = Promise.resolve()
    const onError = (error: Error) => {
      if (!closing) log(`${network.chain}: ${error.message}`)
    }
    const onMiningError = (error: Error) => {
      onError(error)
      // No answer, or a lost connection: only a new anvil helps. (A refusal is an RpcError.)
      if (!(error instanceof RpcError) && !closing) void node().anvil.kill()
    }
    const chain = createChain({
      isGasless: network.gasless,
      ready: () => withLimit(serving),
      port: () => node().anvil.port,
      upstream: () => node().upstream,
      records: storage,
      onError,
    })
    const door = await openDoor(chain, options.port)
    const miner = createMiner({ mine: chain.mine, debounceMs, heartbeatMs, onError: onMiningError })

    const dumpTimer = setInterval(() => {
      if (storage?.isDumpDue()) chain.alone(async () => (storage.isDumpDue() ? await storage.dump() : undefined)).catch(onError)
    }, 1000)
    const attend = async () => {
      const { anvil, upstream } = node()
      await upstream.subscribe('newPendingTransactions', miner.wake)
      // An anvil that lives but has lost our connection, or does not answer, is of no use: it ends and is restored.
      void upstream.closed.then(() => (closing ? undefined : anvil.kill()))
      void anvil.exited.then(() => {
        if (closing) return
        upstream.close()
        door.dropSockets()
        serving = comeBack()
        serving.catch(() => {
          // It cannot be restored any more: calls are answered with the reason, and nothing is retried.
          miner.stop()
          clearInterval(dumpTimer)
        })
      })
      const { pending } = await upstream.request<{ pending: string }>('txpool_status')
      if (Number(pending) > 0) miner.wake()
    }
    const comeBack = async () => {
      if (!storage) throw new RpcError(-32603, `the throw-away devnet ${network.chain} has ended`)
      for (let tries = 1; ; tries++) {
        try {
          await storage.restore()
          return await attend()
        } catch (error) {
          onError(error as Error)
          if (tries === restoreTries || closing) throw error
        }
      }
    }
    const close = async () => {
      if (closing) return
      miner.stop()
      clearInterval(dumpTimer)
      await door.close()
      if (storage) await chain.alone(storage.dump).catch(onError)
      closing = true
      await backing.close()
    }
    await attend()
    return {
      chain: network.chain,
      chainId: network.chainId,
      rpcUrl: `http://127.0.0.1:${door.port}`,
      wsUrl: `ws://127.0.0.1:${door.port}`,
      get anvilUrl() {
        return `http://127.0.0.1:${node().anvil.port}`
      },
      get pid() {
        return node().anvil.pid
      },
      addresses: backing.addresses,
      advanceTime: async seconds => {
        await chain.handle('evm_increaseTime', [seconds])
        await chain.mine()
      },
      close,
    }
  }
}

export type DevnetsOptions<A> = Omit<DevnetOptions<A>, 'network' | 'port' | 'deploy' | 'check'> & {
  networks: readonly (Network & { port: number })[]
  deploy: (rpc: Rpc, network: Network) => Promise<A>
  check?: (rpc: Rpc, network: Network) => Promise<void>
}

/** Starts several devnets concurrently, each in a folder of its own under `dataDir` (or `preparedDir`). If one fails, none is left running. */
export async function startDevnets<A>({ networks, deploy, check, dataDir, preparedDir, ...shared }: DevnetsOptions<A>): Promise<Devnet<A>[]> {
  const starts = await Promise.allSettled(
    networks.map(({ port, ...network }) => {
      const folders = {
        ...(dataDir === undefined ? {} : { dataDir: join(dataDir, network.chain) }),
        ...(preparedDir === undefined ? {} : { preparedDir: join(preparedDir, network.chain) }),
      }
      return startDevnet({ ...shared, ...folders, network, port, deploy: rpc => deploy(rpc, network), check: async rpc => check?.(rpc, network) })
    }),
  )
  const started = starts.filter(start => start.status === 'fulfilled').map(({ value }) => value)
  const failed = starts.find(start => start.status === 'rejected')
  if (failed) {
    await Promise.all(started.map(devnet => devnet.close()))
    throw failed.reason
  }
  return started
}

function fixed<A>({ node, addresses }: { node: Node; addresses: A }): { node: () => Node; addresses: A; close: () => Promise<void> } {
  return { node: () => node, addresses, close: () => stopNode(node) }
}

async function withLimit(serving: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RpcError(-32603, 'the devnet restarts, try again')), outageLimitMs)
  })
  await Promise.race([serving, limit]).finally(() => clearTimeout(timer))
}
