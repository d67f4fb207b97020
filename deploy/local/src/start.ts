import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { ServiceName } from '@carapace/api'
import { type Bus, inProcessBus, rabbitBus } from '@carapace/bus'
import { startGateway } from '@carapace/gateway'
import { type Config, type Logger, makeLog, type RunningService, readConfig, startService } from '@carapace/service'
import { openDatabase } from '@carapace/store'
import { computeAddress } from 'ethers'
import { startEngine } from './engine.ts'
import { type Keys, loadKeys } from './keys.ts'
import { mongoLetters } from './letters.ts'
import { startNetworks } from './networks.ts'
import { services } from './services.ts'

export interface Local {
  url: string
  config: Config
  /** Part → where it runs, for the banner. */
  parts: Record<string, string>
  close(): Promise<void>
}

interface Closable {
  close(): Promise<unknown>
}

/**
 * The whole platform on this machine: database, devnets, bus, services, gateway. Parts that the environment names (MONGODB_URI, AMQP_URL,
 * RPC URLs) are used instead of the embedded ones.
 * @throws Error when the data folder is in use, a port is taken, or a variable is wrong; what was started is stopped again
 */
export async function startLocal(environment: Record<string, string | undefined>): Promise<Local> {
  const opened: Closable[] = []
  const close = async () => {
    for (const part of opened.reverse()) await part.close()
  }
  try {
    return await compose(environment, opened, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function compose(environment: Record<string, string | undefined>, opened: Closable[], close: () => Promise<void>): Promise<Local> {
  const first = readConfig(environment)
  const dataDir = path.resolve(first.DATA_DIR)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const keys = await loadKeys(dataDir)
  const log = makeLog({ service: 'local', level: first.LOG_LEVEL })
  const warn = (message: string) => log.warn(message)
  const base = first.PUBLIC_BASE_URL ?? `http://${first.HOST}:${first.PORT}`
  const own = <T extends Closable>(part: T): T => {
    opened.push(part)
    return part
  }

  const [mongoUri, networks] = await Promise.all([
    first.MONGODB_URI ?? startEngine(dataDir, warn).then(engine => own(engine).uri),
    first.BASE_SEPOLIA_RPC_URL && first.SKALE_TESTNET_RPC_URL ? undefined : startNetworks(dataDir, devnetPorts(first), keys, base, warn).then(own),
  ])
  const config = readConfig({ ...defaults(keys, base), ...networks?.environment, ...withoutEmpty(environment) })
  const bus = own(config.AMQP_URL ? rabbitBus({ url: config.AMQP_URL, service: 'local' }) : await embeddedBus(mongoUri, config))
  const running = await startServices(config, mongoUri, bus, keys, log, opened)
  const gateway = own(
    await startGateway({ config, mongoUri, bus, internalKey: config.INTERNAL_KEY!, address: addressOf(running), log, exclusive: true }),
  )

  return {
    url: gateway.url,
    config,
    parts: {
      gateway: gateway.url,
      ...(networks?.rpcUrls ?? { BASE_SEPOLIA: config.BASE_SEPOLIA_RPC_URL!, SKALE_TESTNET: config.SKALE_TESTNET_RPC_URL! }),
      database: config.MONGODB_URI ? 'MONGODB_URI' : `embedded, ${path.join(dataDir, 'mongo')}`,
      events: config.AMQP_URL ? 'RabbitMQ' : 'in this process',
    },
    close,
  }
}

async function startServices(
  config: Config,
  mongoUri: string,
  bus: Bus,
  keys: Keys,
  log: Logger,
  opened: Closable[],
): Promise<Map<ServiceName, RunningService>> {
  const running = new Map<ServiceName, RunningService>()
  let announceAllUp = () => {}
  const allUp = new Promise<void>(resolve => {
    announceAllUp = resolve
  })
  for (const service of services) {
    const started = await startService(service, {
      config,
      mongoUri,
      bus,
      internalKey: config.INTERNAL_KEY ?? keys.internalKey,
      address: addressOf(running),
      log,
      exclusive: !config.AMQP_URL,
      allUp,
    })
    running.set(started.name, started)
    opened.push(started)
  }
  announceAllUp()
  return running
}

/** A service that is not up yet has no address: nothing listens there. */
const addressOf = (running: ReadonlyMap<ServiceName, RunningService>) => (name: ServiceName) => running.get(name)?.url ?? 'http://127.0.0.1:9'

async function embeddedBus(mongoUri: string, config: Config): Promise<Bus> {
  const db = await openDatabase({ uri: mongoUri, name: `${config.DB_PREFIX}carapace_bus` })
  const bus = inProcessBus({ letters: await mongoLetters(db) })
  return { ...bus, close: () => bus.close().finally(() => db.close()) }
}

function defaults(keys: Keys, base: string): Record<string, string> {
  return {
    PUBLIC_BASE_URL: base,
    INTERNAL_KEY: keys.internalKey,
    CUSTODY_PASSPHRASE: keys.passphrase,
    RELAYER_KEY_BASE_SEPOLIA: keys.relayer,
    RELAYER_KEY_SKALE_TESTNET: keys.relayer,
    ORACLE_WALLET: computeAddress(keys.oracle),
    AUTH_MODE: 'plain',
    SANDBOX: 'yes',
  }
}

const withoutEmpty = (environment: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''))

/** 0 asks for free ports (tests). */
const devnetPorts = ({ DEVNET_RPC_PORT }: Config): [number, number] => (DEVNET_RPC_PORT === 0 ? [0, 0] : [DEVNET_RPC_PORT, DEVNET_RPC_PORT + 1])
