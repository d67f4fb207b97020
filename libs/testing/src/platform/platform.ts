import { randomBytes } from 'node:crypto'
import { clockAdvanced, type Draft, gatewayApi, queuesOf, type ServiceName } from '@carapace/api'
import { type Bus, inProcessBus, quiet } from '@carapace/bus'
import { type AnyService, makeLog, type RunningService, readConfig, startService } from '@carapace/service'
import { type Answer, type CallOptions, httpCall } from '../http-call.ts'
import { acquireMongo } from '../mongo/acquire-mongo.ts'
import type { TestMongo } from '../mongo/mongo-servers.ts'
import { seeded } from '../random.ts'
import { absentService } from './absent-service.ts'
import type { StartGateway } from './chain-platform.ts'
import { startGatewayStub } from './gateway-stub.ts'
import { published } from './published.ts'

export interface TestPlatformOptions {
  /** Default: in-process with quick retries. */
  bus?: Bus
  mongo?: TestMongo
  env?: Record<string, string>
  seed?: number
  /** Receives each line of the log, from `LOG_LEVEL` on. */
  logTo?: { write(line: string): void }
  /** First pause before the outcome of a command is polled, ms. */
  pollAfterMs?: number
  /** The gateway itself in place of the stub. */
  startGateway?: StartGateway
}

export interface TestPlatform {
  /** The gateway stub, or the gateway. */
  url: string
  service(name: ServiceName): RunningService
  bus: Bus
  /** A JSON call through it. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Publishes an event as its declared producer would. `version` is the aggregate's version. */
  publish(draft: Draft, version?: number): Promise<void>
  /** Moves the platform clock of every service and runs the jobs that become due. */
  advance(seconds: number): Promise<void>
  /** Removes the answers that a service has stored: a repeat under its Idempotency-Key runs again, as where the process died before its answer was stored. */
  forgetAnswers(name: ServiceName): Promise<void>
  close(): Promise<void>
}

/** One for all that a test starts: what was sealed is opened after a restart. */
const internalKey = randomBytes(32).toString('hex')

/** Any set of services in one process, on port 0, with real storage and a real bus. */
export async function startPlatform(services: readonly AnyService[], options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const mongo = options.mongo ?? (await acquireMongo())
  const bus = options.bus ?? inProcessBus({ log: quiet, retry: { delaysMs: [5, 10, 20, 50], limit: 8 } })
  const config = readConfig({ DB_PREFIX: '', LOG_LEVEL: 'silent', CHECK_ANSWERS: 'true', AUTH_MODE: 'plain', SANDBOX: 'yes', ...options.env })
  const running = new Map<ServiceName, RunningService>()
  const log = makeLog({ process: 'test', level: config.LOG_LEVEL, ...(options.logTo ? { destination: options.logTo } : {}) })
  const random = seeded(options.seed ?? 1)
  const absent = await absentService()
  const address = (name: ServiceName) => running.get(name)?.url ?? absent
  let opened = () => {}
  const allUp = new Promise<void>(resolve => {
    opened = resolve
  })
  const queues = queuesOf([...services.map(({ api }) => api), ...(options.startGateway ? [gatewayApi] : [])])
  const shared = {
    ...{ config: { ...config, DB_PREFIX: mongo.prefix }, mongoUri: mongo.uri, bus, queues, internalKey, address, log, exclusive: true, allUp },
    ...(options.pollAfterMs ? { pollAfterMs: options.pollAfterMs } : {}),
  }
  for (const service of services) {
    const started = await startService(service, { ...shared, random })
    running.set(started.name, started)
  }
  const door = options.startGateway ? await options.startGateway(shared) : await startGatewayStub(name => running.get(name)?.url, internalKey)
  opened()
  let offset = 0

  const platform: TestPlatform = {
    url: door.url,
    service: name => running.get(name)!,
    bus,
    call: (method, path, options) => httpCall(door.url, method, path, options),
    publish: (draft, version) => bus.publish([published(draft, version, new Date(Date.now() + offset))]),
    advance: async seconds => {
      offset += seconds * 1000
      await platform.publish(clockAdvanced.of({ offsetMs: offset }))
    },
    forgetAnswers: async name => {
      await platform.service(name).platform.db.connection.collection('idempotency').deleteMany({})
    },
    close: async () => {
      await door.close()
      for (const service of [...running.values()].reverse()) await service.close()
      if (!options.bus) await bus.close()
      if (!options.mongo) await mongo.close()
    },
  }
  return platform
}
