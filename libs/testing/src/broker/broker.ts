import { randomBytes } from 'node:crypto'
import { type Lease, requestShared } from '../door.ts'
import { type BrokerSource, openBrokerSource, requireRabbitServer } from './broker-source.ts'
import { containerBroker } from './container-broker.ts'
import { startRabbitServer } from './rabbit-server.ts'

/** A place on a RabbitMQ that nobody else uses: hand `url` and `prefix` to rabbitBus, and give it back by `stop`. */
export type Broker = Lease<Place>

interface Place {
  url: string
  /** Empty when the place is a virtual host of its own, which is so unless AMQP_URL names a broker without management. */
  prefix: string
}

/** A broker of one's own that may be ended. */
export interface OwnBroker extends Broker {
  /** Of its node. */
  pid(): Promise<number>
  /** Ends it immediately, as a power cut would. */
  kill9(): Promise<void>
  /** Starts it again with what it had confirmed. */
  restart(): Promise<void>
  /** Runs rabbitmqctl, about 1 s; resolves to what it printed. */
  ctl(...args: string[]): Promise<string>
}

/**
 * A broker for one test file. Within a test run all files share one process, each on a virtual host of its own; it starts when the first file requests it.
 * @example const broker = await acquireBroker(); after(() => broker.stop())
 * @throws Error that names the ways to a RabbitMQ
 */
export async function acquireBroker(): Promise<Broker> {
  const shared = await requestShared<Place>('broker')
  if (shared) return shared
  const source = await openBrokerSource()
  const place = await acquirePlace(source)
  return {
    ...place,
    async stop() {
      await place.stop()
      await source.close()
    },
  }
}

/** A server that only this test uses, about 5 s to start. @throws Error when there is no rabbitmq-server and none can be installed */
/** The server of this machine; with AMQP_URL and AMQP_CONTAINER, the one in that container. @throws Error that names the ways to a RabbitMQ */
export async function startOwnBroker(): Promise<OwnBroker> {
  const { AMQP_CONTAINER: container, AMQP_URL: url } = process.env
  if (container && url) return containerBroker(container, url)
  const server = await startRabbitServer(await requireRabbitServer())
  return { ...server, prefix: '' }
}

/** A virtual host, or names with a prefix where none can be made. */
export async function acquirePlace({ url, vhosts }: BrokerSource): Promise<Broker> {
  const name = `t${process.pid}-${randomBytes(4).toString('hex')}`
  if (!vhosts) return { url, prefix: `${name}.`, stop: async () => {} }
  await vhosts.add(name)
  const place = new URL(url)
  place.pathname = `/${name}`
  return { url: place.href, prefix: '', stop: () => vhosts.remove(name) }
}
