import type { ServiceName } from '@carapace/api'
import { acquireBroker, type Broker, openSystem, type System, startOwnBroker } from '@carapace/testing'
import { loopbackHosts } from '@carapace/testing/replica-names'
import { processVariables } from '../config.ts'
import { type Distributed, type DistributedOptions, startDistributed } from '../distributed/start.ts'
import { services } from '../services.ts'
import { temporaryDataDir } from './child.ts'
import { freePorts } from './ports.ts'

/** Every process that a deployment runs in replicas. */
export const everyProcess: readonly ServiceName[] = [...services.map(({ api }) => api.name as ServiceName), 'gateway']

/** A process that may be killed at any moment; something starts it again. */
interface Victim {
  name: string
  pid(): number | undefined
  /** Resolves once it serves again. Database and networks have none: what needs them is not ready before they are. */
  ready?(): Promise<void>
}

export interface DistributedSystem {
  system: System
  platform: Distributed
  /** All that may be killed, the supervisor and the broker excepted. */
  victims: Victim[]
  end(): Promise<void>
}

export interface SystemOptions extends DistributedOptions {
  /** Beyond those that make it a system of its own. */
  variables?: Record<string, string>
  /** Default: one that nobody else uses. It is stopped with the system. */
  broker?: Broker
}

/** Several of each of these under one name, of which a call reaches one or the other. */
export const replicated = (of: readonly ServiceName[], count = 2): Required<Pick<SystemOptions, 'replicas' | 'variables'>> => ({
  replicas: { of, hosts: loopbackHosts(count) },
  variables: {
    REPLICAS: String(count),
    SERVICE_URL: 'http://{service}.replicas.test:{port}',
    NODE_OPTIONS: `--import=${import.meta.resolve('@carapace/testing/replica-names')}`,
  },
})

/** What a start of separate processes needs: a folder, ports and a broker that nobody else uses. */
export async function startVariables(given?: Broker): Promise<{ variables: Record<string, string>; remove(): Promise<void> }> {
  const folder = await temporaryDataDir()
  const broker = given ?? (await ownPlace())
  const base = await freePorts(12)
  return {
    variables: {
      ...(processVariables.PATH === undefined ? {} : { PATH: processVariables.PATH }),
      DATA_DIR: folder.path,
      AMQP_URL: broker.url,
      PORT: String(base),
      SERVICE_PORT_BASE: String(base + 1),
      DEVNET_RPC_PORT: '0',
      LOG_LEVEL: processVariables.LOG_LEVEL ?? 'silent',
      RATE_LIMIT_READ: '1000000',
      RATE_LIMIT_WRITE: '1000000',
    },
    remove: async () => {
      await broker.stop()
      await folder.remove()
    },
  }
}

/** All services as processes of their own, on a broker, a database and devnets that nobody else uses. */
export async function startDistributedSystem({ variables: more, broker, ...options }: SystemOptions = {}): Promise<DistributedSystem> {
  const { variables, remove } = await startVariables(broker)
  const platform = await startDistributed({ ...variables, ...more }, options)
  const system = await openSystem(platform.url)
  return {
    system,
    platform,
    victims: [...platform.processes, ...platform.environment],
    end: async () => {
      system.close()
      await platform.close()
      await remove()
    },
  }
}

/** The processes know no prefix, so they need a virtual host of their own. */
async function ownPlace() {
  const place = await acquireBroker()
  if (place.prefix === '') return place
  await place.stop()
  return startOwnBroker()
}
