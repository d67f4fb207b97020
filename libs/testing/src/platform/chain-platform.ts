import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gatewayApi, queuesOf, type ServiceName } from '@carapace/api'
import { type Bus, inProcessBus, quiet, rabbitBus } from '@carapace/bus'
import { type AnyService, type Config, makeLog, type RunningService, type Runtime, readConfig, startService, startTelemetry } from '@carapace/service'
import { acquireBroker } from '../broker/broker.ts'
import { acquireMongo } from '../mongo/acquire-mongo.ts'
import type { TestMongo } from '../mongo/mongo-servers.ts'
import { seeded } from '../random.ts'
import { absentService } from './absent-service.ts'
import { openSystem, type System } from './system.ts'
import { startTestDevnets, type TestDevnets } from './test-devnets.ts'

/** The gateway's door to its starter; passed in, since the gateway's own tests use this library. */
export type StartGateway = (
  options: Pick<Runtime, 'config' | 'mongoUri' | 'bus' | 'queues' | 'internalKey' | 'address' | 'log' | 'exclusive' | 'allUp'>,
) => Promise<{ url: string; close(): Promise<void> }>

export interface ChainPlatformOptions {
  /** With the relayer, which comes first. */
  services: readonly AnyService[]
  startGateway: StartGateway
  /** Default: in-process. */
  bus?: 'in-process' | 'rabbitmq'
  /** What the services use instead of the bus itself: tests lose messages there. */
  wrapBus?: (bus: Bus) => Bus
  /** First pause before the outcome of a command is polled, ms. */
  pollAfterMs?: number
  /** Between blocks without transactions, ms. Default 250: what waits for finality waits for two blocks. A test that replaces the newest blocks needs longer. */
  heartbeatMs?: number
  seed?: number
  env?: Record<string, string>
  /** What outlives this platform: another one can go on there. Default: its own, thrown away. */
  environment?: TestEnvironment
  onAnswer?: Parameters<typeof openSystem>[2]
}

export interface ChainPlatform extends System {
  service(name: ServiceName): RunningService
  devnets: TestDevnets['devnets']
  bus: Bus
  mongo: TestMongo
  /** Ends everything and waits for it. */
  end(): Promise<void>
}

interface Closable {
  close(): Promise<unknown>
}

/** A database, both chains and a folder, for several platforms one after the other. */
export interface TestEnvironment extends Closable {
  mongo: TestMongo
  networks: TestDevnets
  dataDir: string
}

export async function startTestEnvironment(heartbeatMs = 250): Promise<TestEnvironment> {
  const [mongo, networks, folder] = await Promise.all([acquireMongo(), startTestDevnets(heartbeatMs), temporaryFolder()])
  const close = async () => {
    for (const part of [mongo, networks, folder]) await part.close()
  }
  return { mongo, networks, dataDir: folder.path, close }
}

/**
 * Any set of services with both chains, the relayer and the gateway, in one process: what `npm start` runs, thrown away at the end.
 * @example const platform = await startChainPlatform({ services: [chainRelayer, identity], startGateway }); after(() => platform.end())
 */
export async function startChainPlatform(options: ChainPlatformOptions): Promise<ChainPlatform> {
  const opened: Closable[] = []
  const own = <T extends Closable>(part: T): T => {
    opened.push(part)
    return part
  }
  const end = async () => {
    for (const part of opened.reverse()) await part.close()
  }
  try {
    return { ...(await compose(options, own)), end }
  } catch (error) {
    await end()
    throw error
  }
}

async function compose(options: ChainPlatformOptions, own: <T extends Closable>(part: T) => T): Promise<Omit<ChainPlatform, 'end'>> {
  const { mongo, networks, dataDir } = options.environment ?? own(await startTestEnvironment(options.heartbeatMs))
  const opened = own(await openBus(options, own))
  const bus = options.wrapBus?.(opened) ?? opened
  const config = testConfig(options, mongo, networks, dataDir)
  own(await startTelemetry(config))
  const { pollAfterMs } = options
  const internalKey = config.INTERNAL_KEY!
  const log = makeLog({ process: 'test', level: config.LOG_LEVEL })
  const random = seeded(options.seed ?? 1)
  const running = new Map<ServiceName, RunningService>()
  const absent = await absentService()
  const address = (name: ServiceName) => running.get(name)?.url ?? absent
  let announceAllUp = () => {}
  const allUp = new Promise<void>(resolve => {
    announceAllUp = resolve
  })
  const queues = queuesOf([...options.services.map(({ api }) => api), gatewayApi])
  const polling = pollAfterMs ? { pollAfterMs } : {}
  const shared = { config, mongoUri: mongo.uri, bus, queues, internalKey, address, log, exclusive: true, allUp, ...polling }
  for (const service of options.services) {
    const started = own(await startService(service, { ...shared, random }))
    running.set(started.name, started)
  }
  // Closed before the services, too: a publish in this process waits for consumers, and those that have ended consume nothing.
  own({ close: () => bus.close() })
  const gateway = own(await options.startGateway(shared))
  announceAllUp()
  const system = await openSystem(gateway.url, {}, options.onAnswer)
  own({ close: async () => system.close() })
  return { ...system, service: name => running.get(name)!, devnets: networks.devnets, bus, mongo }
}

async function openBus({ bus }: ChainPlatformOptions, own: <T extends Closable>(part: T) => T): Promise<Bus> {
  const retry = { delaysMs: [5, 10, 20, 50, 100, 200], limit: 30 }
  if (bus !== 'rabbitmq') return inProcessBus({ log: quiet, retry })
  const broker = await acquireBroker()
  own({ close: () => broker.stop() })
  return rabbitBus({ log: quiet, url: broker.url, prefix: broker.prefix, service: 'test', retry })
}

function testConfig({ env }: ChainPlatformOptions, mongo: TestMongo, networks: TestDevnets, dataDir: string): Config {
  return readConfig({
    DATA_DIR: dataDir,
    DB_PREFIX: mongo.prefix,
    PORT: '0',
    INTERNAL_KEY: randomBytes(32).toString('hex'),
    CUSTODY_PASSPHRASE: 'a passphrase of a test',
    LOG_LEVEL: 'silent',
    CHECK_ANSWERS: 'true',
    AUTH_MODE: 'plain',
    SANDBOX: 'yes',
    RATE_LIMIT_READ: '1000000',
    RATE_LIMIT_WRITE: '1000000',
    ...networks.environment,
    ...env,
  })
}

async function temporaryFolder(): Promise<Closable & { path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'carapace-data-'))
  return { path: folder, close: () => rm(folder, { recursive: true, force: true }) }
}
