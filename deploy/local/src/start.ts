import { apis, queuesOf, type ServiceName } from '@carapace/api'
import { type Bus, inProcessBus, rabbitBus } from '@carapace/bus'
import { type AnyService, type Config, type Logger, type RunningService, startService, startTelemetry } from '@carapace/service'
import { openDatabase } from '@carapace/store'
import { leaveAddresses } from './addresses.ts'
import { mongoDeadLetters } from './dead-letter-store.ts'
import { type Closable, startEnvironment, type Variables } from './environment.ts'

export interface Local {
  url: string
  config: Config
  /** Part → where it runs, for the banner. */
  parts: Record<string, string>
  /** Signs an operator in, once and from this machine only. */
  operatorLink?: string
  close(): Promise<void>
}

type Own = <T extends Closable>(part: T) => T

/**
 * The whole platform on this machine: database, devnets, bus, services, gateway. Parts that the variables name (MONGODB_URI, AMQP_URL,
 * RPC URLs) are used instead of the embedded ones.
 * @throws Error when the data folder is in use, a port is in use, or a variable is wrong; what was started is stopped again
 */
export const startLocal = (variables: Variables): Promise<Local> => startOwning(own => compose(variables, own))

/** Runs a start; what it owns is closed with the result, or immediately when the start fails. */
export async function startOwning<T extends object>(start: (own: Own) => Promise<T>): Promise<T & { close(): Promise<void> }> {
  const opened: Closable[] = []
  const close = async () => {
    for (const part of opened.splice(0).reverse()) await part.close()
  }
  try {
    const started = await start(part => {
      opened.push(part)
      return part
    })
    return { ...started, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function compose(variables: Variables, own: Own): Promise<Omit<Local, 'close'>> {
  const environment = startEnvironment(variables, own)
  // the programs of all services are loaded while database and networks start
  const [{ services }, { startGateway }] = await Promise.all([import('./services.ts'), import('@carapace/gateway'), environment])
  const { config, mongoUri, log, parts } = await environment
  own(await startTelemetry(config))
  const bus = own(config.AMQP_URL ? rabbitBus({ url: config.AMQP_URL, service: 'local', log }) : await embeddedBus(mongoUri, config, log, own))
  const running = new Map<ServiceName, RunningService>()
  let announceAllUp = () => {}
  const allUp = new Promise<void>(resolve => {
    announceAllUp = resolve
  })
  const queues = queuesOf(Object.values(apis))
  const shared = {
    config,
    mongoUri,
    bus,
    queues,
    internalKey: config.INTERNAL_KEY!,
    address: addressOf(running),
    log,
    exclusive: !config.AMQP_URL,
    allUp,
  }
  const start = async (service: AnyService) => {
    const started = await startService(service, shared)
    running.set(started.name, started)
    return started
  }
  // the others read the networks of the relayer
  const [relayer, ...others] = services
  own(await start(relayer!))
  await startAll(others, own, start)
  // Closed before the services: a publish in this process waits for consumers, and those that have ended consume nothing.
  own({ close: () => bus.close() })
  const gateway = own(await startGateway(shared))
  announceAllUp()
  const urls = Object.fromEntries([...running].map(([name, { url }]) => [name, url]))
  own(await leaveAddresses(config.DATA_DIR, { ...urls, gateway: gateway.url }))
  const operatorLink = await gateway.operatorLink()
  const all = { gateway: gateway.url, ...parts, events: config.AMQP_URL ? 'RabbitMQ' : 'in this process' }
  return { url: gateway.url, config, parts: all, ...(operatorLink ? { operatorLink } : {}) }
}

/** Starts all at the same time; they are closed in reverse order. @throws what the first of them throws, once none is starting any more */
async function startAll(services: readonly AnyService[], own: Own, start: (service: AnyService) => Promise<Closable>): Promise<void> {
  const starting = services.map(start)
  await Promise.allSettled(starting)
  let failure: { error: unknown } | undefined
  for (const one of starting) {
    await one.then(own, (error: unknown) => {
      failure ??= { error }
    })
  }
  if (failure) throw failure.error
}

/** A service that is not up yet has no address: nothing listens there. */
const addressOf = (running: ReadonlyMap<ServiceName, RunningService>) => (name: ServiceName) => running.get(name)?.url ?? 'http://127.0.0.1:9'

async function embeddedBus(mongoUri: string, config: Config, log: Logger, own: Own): Promise<Bus> {
  const db = own(await openDatabase({ uri: mongoUri, name: `${config.DB_PREFIX}carapace_bus` }))
  return inProcessBus({ deadLetterStore: await mongoDeadLetters(db), log })
}
