import { randomBytes } from 'node:crypto'
import { type Chain, type CloudEvent, type Draft, outcomeNameOf } from '@carapace/api'
import { type Bus, inProcessBus, quiet } from '@carapace/bus'
import { type Addresses, type Command, commandOf, contractInterface, networks } from '@carapace/chain'
import { type Deployment, deployDevnet } from '@carapace/contracts'
import { startDevnet } from '@carapace/devnet'
import { openDatabase } from '@carapace/store'
import { acquireMongo, published, type TestMongo, until } from '@carapace/testing'
import { computeAddress, Wallet } from 'ethers'
import { inspectNetwork, type NetworkConfig } from '../chain/network.ts'
import { type Custody, localSigner, openCustody } from '../custody/custody.ts'
import { announcer } from '../lane/announce.ts'
import { type Collections, openCollections } from '../lane/collections.ts'
import { laneIdOf, retiringPartsOf } from '../lane/keys/retiring-parts.ts'
import type { FailPoint, LaneParts } from '../lane/lane.ts'
import { defaultTimings, type Timings } from '../lane/timings.ts'
import { type RunningLane, runLane } from '../leader.ts'
import { openRpc } from '../rpc/open.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { custodySeed, deployerKey, laneAddress, laneKey, proposerKey } from './keys.ts'

/** Timings under which failures show within seconds. */
export const quickTimings: Timings = {
  ...defaultTimings,
  leaseTtlMs: 5_000,
  leaseRenewMs: 500,
  leaseTrustMs: 4_000,
  leaseRetryMs: 100,
  reconcileMs: 300,
  storeCheckMs: 300,
  tickMs: 50,
  rpcTimeoutMs: 2_000,
  resendMs: 50,
  retryDelaysMs: [50, 100, 150, 200, 250],
  cursorSaveMs: 100,
  finalizeMs: 0,
  evidenceMs: 200,
  equalAnswersMs: 100,
}

export interface TestDevnet {
  chain: Chain
  rpcUrl: string
  wsUrl: string
  pid: () => number
  addresses: Addresses
  /** All contracts, by the names of the deployment. */
  deployment: Deployment
  close(): Promise<void>
}

/** A devnet with all contracts and a rich lane; thrown away unless it has a folder. */
export async function testDevnet(chain: Chain = 'BASE_SEPOLIA', options: { dataDir?: string; heartbeatMs?: number } = {}): Promise<TestDevnet> {
  const { chainId, gasless } = networks[chain]
  const devnet = await startDevnet({
    network: { chain, chainId, gasless },
    port: 0,
    ...(options.dataDir ? { dataDir: options.dataDir } : {}),
    mining: { debounceMs: 10, heartbeatMs: options.heartbeatMs ?? 300 },
    deploy: async () => ({}),
  })
  const { rpcUrl, wsUrl } = devnet
  const roles = { operator: laneAddress, pauser: laneAddress, proposers: [computeAddress(proposerKey)] }
  const deployment = await deployDevnet({ rpcUrl, chainId, deployerKey, ...roles })
  if (!gasless) {
    const rpc = openRpc({ url: wsUrl, timeoutMs: 5_000 })
    await connected(rpc)
    await rpc.call('anvil_setBalance', [laneAddress, '0x3635c9adc5dea00000'])
    await rpc.close()
  }
  const addresses = relayerAddresses(deployment.addresses)
  return { chain, rpcUrl, wsUrl, pid: () => devnet.pid, addresses, deployment, close: () => devnet.close() }
}

/** The deployment's names, as the relayer knows them. */
export function relayerAddresses(deployed: Readonly<Record<string, string>>): Addresses {
  const { DevUSDC, Timelock: _timelock, Multicall3: _multicall, ...rest } = deployed
  return { ...rest, USDC: DevUSDC } as unknown as Addresses
}

export interface Kit {
  devnet: TestDevnet
  bus: Bus
  db: Collections
  /** Where its records are, for lanes in other processes. */
  place: { mongoUri: string; database: string }
  rpc: Rpc
  /** Every event that the relayer published, in order. */
  events: CloudEvent[]
  of(opKey: string, type?: string): CloudEvent[]
  /** Hands a command to the lane, as a service's outbox would. */
  send(...drafts: Draft[]): Promise<void>
  /** The same for one, without waiting for its end; resolves to the event's id. */
  sendRaw(draft: Draft): Promise<string>
  start(options?: KitLane): Promise<RunningLane>
  custody(): Promise<Custody>
  /** What a wallet has, micro-USDC. */
  usdcOf(address: string): Promise<bigint>
  close(): Promise<void>
}
export interface KitLane {
  /** Its own key; default: `laneKey`. */
  key?: string
  /** The former one, whose lane runs next to it. */
  retiringKey?: string
  rpcUrl?: string
  timings?: Partial<Timings>
  batchSize?: number
  failPoint?: (point: FailPoint) => void
  window?: number
  finality?: number
  startBlock?: number
  log?: LaneParts['log']
  real?: boolean
  /** Do not wait until it leads. */
  standby?: boolean
  commandOf?: (kind: string) => Command | undefined
  watchedWallets?: readonly string[]
  /** Its records by another way than the test's own. */
  db?: Collections
}

const isIdle = (lane: RunningLane) => {
  const current = lane.current()
  return current?.queue.size === 0 && current.slots.openCount === 0
}

/** A lane in this process with real parts: devnet, storage, bus. */
export async function startKit(options: { chain?: Chain; devnet?: TestDevnet; mongo?: TestMongo; bus?: Bus } = {}): Promise<Kit> {
  const chain = options.chain ?? 'BASE_SEPOLIA'
  const mongo = options.mongo ?? (await acquireMongo())
  const devnet = options.devnet ?? (await testDevnet(chain))
  const name = `${mongo.prefix}relayer_${randomBytes(4).toString('hex')}`
  const database = await openDatabase({ uri: mongo.uri, name })
  const db = await openCollections(database)
  const bus = options.bus ?? inProcessBus({ log: quiet, retry: { delaysMs: [20, 50], limit: 5 } })
  const events: CloudEvent[] = []
  await bus.subscribe({ name: 'carapace.test', exchange: 'events', bindings: ['chain.#'] }, async event => {
    events.push(event)
  })
  const rpc = openRpc({ url: devnet.wsUrl, timeoutMs: 5_000 })
  await connected(rpc)
  const lanes: RunningLane[] = []
  const rpcs: Rpc[] = [rpc]

  return {
    devnet,
    bus,
    db,
    place: { mongoUri: mongo.uri, database: name },
    rpc,
    events,
    of: (opKey, type) => events.filter(event => event.data.opKey === opKey && (!type || outcomeNameOf(event.type) === type)),
    send: (...drafts) => bus.publish(drafts.map(draft => published(draft))),
    sendRaw: async draft => {
      const message = published(draft)
      bus.publish([message]).catch(() => undefined)
      return message.event.id
    },
    custody: () => openCustody(custodySeed, db.wallets, db.seeds),
    usdcOf: async address => {
      const data = contractInterface('USDC').encodeFunctionData('balanceOf', [address])
      return BigInt(String(await rpc.call('eth_call', [{ to: devnet.addresses.USDC, data }, 'latest'])))
    },
    start: async (laneOptions = {}) => {
      const laneRpc = openRpc({ url: laneOptions.rpcUrl ?? devnet.wsUrl, timeoutMs: laneOptions.timings?.rpcTimeoutMs ?? quickTimings.rpcTimeoutMs })
      rpcs.push(laneRpc)
      await connected(laneRpc)
      const parts = await laneParts({ chain, devnet, db: laneOptions.db ?? db, bus, rpc: laneRpc }, laneOptions)
      const former = retiringPartsOf(parts)
      if (former) lanes.push(runLane(former, bus))
      const lane = runLane(parts, bus)
      lanes.push(lane)
      if (laneOptions.standby !== true) await until('the lane leads and is set up', () => isIdle(lane))
      return lane
    },
    close: async () => {
      await Promise.all(lanes.map(lane => lane.close()))
      await Promise.all(rpcs.map(one => one.close()))
      await bus.close()
      await database.close()
      if (!options.devnet) await devnet.close()
      if (!options.mongo) await mongo.close()
    },
  }
}

export async function laneParts(
  { chain, devnet, db, bus, rpc }: { chain: Chain; devnet: { wsUrl: string; addresses: Addresses }; db: Collections; bus: Bus; rpc: Rpc },
  options: KitLane,
): Promise<LaneParts> {
  const config: NetworkConfig = {
    chain,
    rpcUrl: devnet.wsUrl,
    devnet: !options.real,
    addresses: devnet.addresses,
    startBlock: options.startBlock ?? 0,
  }
  const network = await inspectNetwork(config, rpc)
  const signer = localSigner(options.key ?? laneKey)
  const former = options.retiringKey === undefined ? undefined : localSigner(options.retiringKey)
  return {
    id: laneIdOf(chain, signer),
    ...(former ? { retiring: { id: laneIdOf(chain, former), signer: former } } : {}),
    network: {
      ...network,
      stuckMs: 1_500,
      blockMs: 300,
      ...(options.window ? { window: options.window } : {}),
      ...(options.finality ? { finality: options.finality } : {}),
    },
    rpc,
    signer,
    custody: await openCustody(custodySeed, db.wallets, db.seeds),
    watchedWallets: options.watchedWallets ?? [],
    db,
    timings: { ...quickTimings, ...options.timings },
    announce: announcer(bus, () => new Date()),
    commandOf: options.commandOf ?? commandOf,
    log: options.log ?? quiet,
    batchSize: options.batchSize ?? 50,
    failPoint: options.failPoint ?? (() => {}),
    onConfirmed: () => {},
  }
}

export async function connected(rpc: Rpc): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await rpc.call('eth_chainId', [])
      return
    } catch (error) {
      if (tries > 100) throw error
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
}

export const wallet = () => Wallet.createRandom().address

/** Drops the chain's blocks from this one on. Again where one more was mined meanwhile, which spares the first. */
export async function dropFrom(rpc: Rpc, block: number): Promise<void> {
  const hashOf = async () => ((await rpc.call('eth_getBlockByNumber', [`0x${block.toString(16)}`, false])) as { hash: string } | null)?.hash
  const dropped = await hashOf()
  await until(`block ${block} is dropped`, async () => {
    const head = Number(await rpc.call('eth_blockNumber', []))
    await rpc.call('anvil_reorg', [head - block + 1, []])
    return (await hashOf()) !== dropped
  })
}
