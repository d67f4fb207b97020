import { setTimeout as sleep } from 'node:timers/promises'
import { apis, queuesOf, type ServiceName } from '@carapace/api'
import { type Bus, type QueueSpec, rabbitBus } from '@carapace/bus'
import { isUnavailable } from '@carapace/store'
import { type Config, readConfig, required } from './config/config.ts'
import type { AnyService } from './define.ts'
import { awaitedPrerequisites, type Prerequisites } from './health/prerequisites.ts'
import { addressesOf, servicePort } from './peers/peers.ts'
import { startService } from './start/start-service.ts'
import { type Logger, makeLog } from './telemetry/log.ts'
import { startTelemetry } from './telemetry/telemetry.ts'

/** What a process of its own runs on, by its configuration. */
export interface Environment {
  config: Config
  mongoUri: string
  internalKey: string
  bus: Bus
  /** The queues of every service, in any process. */
  queues: readonly QueueSpec[]
  /** Where another service answers. */
  address: (service: ServiceName) => string
  prerequisites: Prerequisites
  /** At its end, clients are still served on their connections for so long, ms. */
  lingerMs: number
  log: Logger
}

/** What was started: where it is found, for the line that says it is ready, and how it ends. */
export interface Started {
  where: object
  close(): Promise<void>
}

/** Twice as long as a client uses a connection that is idle (`fastExpress`): then no write can be on its way. */
const lingerMs = 2_000

/** Runs one service as a process of its own. @example run(escrow) */
export function run(service: AnyService): void {
  const { name } = service.api
  const read = () => readConfig(undefined, { PORT: String(servicePort(name, readConfig().SERVICE_PORT_BASE)) })
  const start = async (environment: Environment) => {
    const { HOST: host, PORT: port } = environment.config
    const { url, close } = await startService(service, { ...environment, host, port })
    return { where: { url }, close }
  }
  runProcess(name, start, read)
}

/**
 * A process of its own: configuration from the environment, RabbitMQ, MongoDB, SIGTERM ends it in order. It waits for a database and a broker that are
 * not there yet; a wrong configuration ends it.
 */
export function runProcess(name: ServiceName, start: (environment: Environment) => Promise<Started>, read: () => Config = readConfig): void {
  main(name, start, read).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
}

async function main(name: ServiceName, start: (environment: Environment) => Promise<Started>, read: () => Config): Promise<void> {
  endWithSupervisor()
  const ended = new AbortController()
  const isOver = terminated().then(() => ended.abort())
  const config = read()
  const log = makeLog({ process: name, level: config.LOG_LEVEL })
  const telemetry = await startTelemetry(config)
  const [mongoUri, internalKey] = [required(config, 'MONGODB_URI'), required(config, 'INTERNAL_KEY')]
  const bus = rabbitBus({ url: required(config, 'AMQP_URL'), service: name, log })
  const environment: Environment = {
    config,
    mongoUri,
    internalKey,
    bus,
    queues: queuesOf(Object.values(apis)),
    address: addressesOf(config),
    prerequisites: awaitedPrerequisites(log, ended.signal),
    lingerMs,
    log,
  }
  try {
    const started = await startUnlessEnded(() => start(environment), environment, ended.signal)
    if (!started) return
    log.info(started.where, 'ready')
    log.flush()
    await isOver
    await started.close()
  } finally {
    await bus.close()
    await telemetry.close()
  }
}

const restartMs = 1_000
/** So long a start may last after SIGTERM: it may be in the middle of a call that nobody answers. */
const endOfStartMs = 8_000

/** Starts, again when the database goes away meanwhile. Undefined when the process is to end first: what was open by then is closed. */
async function startUnlessEnded(
  start: () => Promise<Started>,
  { bus, log }: Pick<Environment, 'bus' | 'log'>,
  ended: AbortSignal,
): Promise<Started | undefined> {
  const endStart = () => {
    setTimeout(() => process.exit(1), endOfStartMs).unref()
    // a start that waits for its broker ends with the bus
    void bus.close()
  }
  ended.addEventListener('abort', endStart)
  try {
    for (;;) {
      try {
        return await start()
      } catch (error) {
        if (ended.aborted) return undefined
        if (!isUnavailable(error)) throw error
        log.warn({ err: error }, 'the database went away during the start, which begins again')
        await sleep(restartMs)
      }
    }
  } finally {
    ended.removeEventListener('abort', endStart)
  }
}

/** So long an orderly end of a process may last after its supervisor has ended: its clients have ended with that, so no idle connection is served longer. */
const orphanMs = 1_000

/**
 * Ends this process within 3 s after the supervisor that holds a channel to it, even in the middle of its work: a start or an orderly end may wait for a
 * database or a broker that went with the supervisor. Without a channel nothing happens.
 */
export function endWithSupervisor(): void {
  process.once('disconnect', () => setTimeout(() => process.exit(1), orphanMs).unref())
  process.channel?.unref()
}

/** Resolves at the first SIGTERM or SIGINT, or when a supervisor that holds a channel to this process has ended. */
export function terminated(): Promise<void> {
  return new Promise(resolve => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
    process.once('disconnect', () => resolve())
    process.channel?.unref()
  })
}
