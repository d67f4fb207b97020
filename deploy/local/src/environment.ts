import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { chains } from '@carapace/api'
import { perChain } from '@carapace/chain'
import { lockFolder } from '@carapace/devnet'
import { baseUrlOf, type Config, type Logger, makeLog, readConfig, withFileContents } from '@carapace/service'
import { computeAddress } from 'ethers'
import { holdDataVersion } from './data-version.ts'
import { startEngine } from './engine.ts'
import { type Keys, loadKeys } from './keys.ts'
import { startNetworks } from './networks.ts'

export interface Closable {
  close(): Promise<unknown>
}

export type Variables = Record<string, string | undefined>

/** What the services run on, in one process or in many. */
export interface Environment {
  config: Config
  /** The configuration as variables, for child processes. */
  variables: Variables
  mongoUri: string
  keys: Keys
  log: Logger
  /** The database and the chains, where this start runs them: each is restarted when it dies. */
  processes: { name: string; pid(): number | undefined }[]
  /** Where chains and database run, for the banner. */
  parts: Record<string, string>
}

/**
 * Locks the data folder, makes its keys, starts database and devnets unless the variables name others.
 * @param own collects what is to be closed in the end, in reverse order
 * @throws Error when another process has the folder, its data has another form, a port is in use, or a variable is wrong
 */
export async function startEnvironment(variablesAndFiles: Variables, own: <T extends Closable>(part: T) => T): Promise<Environment> {
  const given = withFileContents(variablesAndFiles)
  const first = readConfig(given)
  const dataDir = path.resolve(first.DATA_DIR)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  own({ close: await lockFolder(dataDir) })
  if (!first.MONGODB_URI) await holdDataVersion(dataDir)
  const keys = await loadKeys(dataDir)
  const log = makeLog({ process: 'local', level: given.LOG_LEVEL ? first.LOG_LEVEL : defaultLogLevel })
  const warn = (message: string) => log.warn(message)
  const base = baseUrlOf(first)
  const [database, networks] = await both(
    first.MONGODB_URI ? undefined : startEngine(dataDir, warn).then(own),
    chains.every(chain => first[`${chain}_RPC_URL`]) ? undefined : startNetworks(dataDir, devnetPorts(first), keys, base, warn).then(own),
  )
  const mongoUri = first.MONGODB_URI ?? database!.uri
  const variables = {
    ...defaults(keys, first.PORT === 0 ? undefined : base),
    ...networks?.environment,
    ...withoutEmpty(given),
    DATA_DIR: dataDir,
    MONGODB_URI: mongoUri,
  }
  const config = readConfig(variables)
  return {
    config,
    variables,
    mongoUri,
    keys,
    log,
    processes: [...(database ? [{ name: 'database', pid: database.pid }] : []), ...(networks?.processes ?? [])],
    parts: {
      ...(networks?.rpcUrls ?? perChain(chain => config[`${chain}_RPC_URL`]!)),
      database: first.MONGODB_URI ? 'MONGODB_URI' : `embedded, ${path.join(dataDir, 'mongo')}`,
    },
  }
}

/** As Promise.all, but when one fails the other is awaited first, so that it is known to `own` and closed. */
async function both<A, B>(a: A | Promise<A>, b: B | Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return Promise.all([a, b])
}

/** @param base undefined where the port is not chosen yet: the gateway knows it once it listens */
function defaults(keys: Keys, base: string | undefined): Record<string, string> {
  return {
    ...(base === undefined ? {} : { PUBLIC_BASE_URL: base }),
    INTERNAL_KEY: keys.internalKey,
    CUSTODY_PASSPHRASE: keys.passphrase,
    RELAYER_KEY_BASE_SEPOLIA: keys.relayer,
    RELAYER_KEY_SKALE_TESTNET: keys.relayer,
    ORACLE_WALLET: computeAddress(keys.oracle),
    X402_PAY_TO_ADDRESS: computeAddress(keys.income),
    AUTH_MODE: 'plain',
    SANDBOX: 'yes',
    WEBHOOK_LOOPBACK: 'yes',
    LOG_LEVEL: defaultLogLevel,
  }
}

/** A line for each request would bury the banner. */
const defaultLogLevel = 'warn'

const withoutEmpty = (variables: Variables) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))

/** 0 means free ports (tests). */
const devnetPorts = ({ DEVNET_RPC_PORT }: Config): [number, number] => (DEVNET_RPC_PORT === 0 ? [0, 0] : [DEVNET_RPC_PORT, DEVNET_RPC_PORT + 1])
