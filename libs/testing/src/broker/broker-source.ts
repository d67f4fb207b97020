import { aptInstall } from '../apt-install.ts'
import { startContainer } from '../containers.ts'
import { findRabbitServer, startRabbitServer } from './rabbit-server.ts'

/** A RabbitMQ that tests may use, wherever it comes from. */
export interface BrokerSource {
  url: string
  /** Missing where virtual hosts cannot be made; a prefix then separates the names of tests. */
  vhosts?: { add(name: string): Promise<void>; remove(name: string): Promise<void> }
  close(): Promise<void>
}

const ways =
  'No RabbitMQ for the tests. Any of these will do: set AMQP_URL, run a container engine (DOCKER_HOST), install rabbitmq-server, or run as root on Debian without TEST_NO_APT=1'

const image = 'rabbitmq:4'
const containerMs = 15_000

/** The first that is there: AMQP_URL, a container, the server on this machine, the server from Debian's archive. @throws Error that names these ways */
export async function openBrokerSource(): Promise<BrokerSource> {
  if (process.env.AMQP_URL) return given(process.env.AMQP_URL)
  return (await container()) ?? ownServer()
}

/** The folder of rabbitmq-server's scripts, installed first where that may be done. @throws Error that names the ways */
export async function requireRabbitServer(): Promise<string> {
  const sbin = findRabbitServer() ?? ((await install()) ? findRabbitServer() : undefined)
  if (!sbin) throw new Error(ways)
  return sbin
}

async function ownServer(): Promise<BrokerSource> {
  const server = await startRabbitServer(await requireRabbitServer())
  // Its virtual hosts go with it.
  return { url: server.url, vhosts: { add: name => server.addVhost(name), remove: async () => {} }, close: () => server.stop() }
}

/** Virtual hosts by the management plugin's API on its usual port, if it answers. */
async function given(url: string): Promise<BrokerSource> {
  const { hostname, username, password } = new URL(url)
  const user = decodeURIComponent(username || 'guest')
  const authorization = `Basic ${Buffer.from(`${user}:${decodeURIComponent(password || 'guest')}`).toString('base64')}`
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://${hostname}:15672/api/${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(5_000),
    })
    if (!answer.ok) throw new Error(`RabbitMQ's management refused ${method} ${path}: ${answer.status}`)
  }
  const isManaged = await call('GET', 'vhosts').then(
    () => true,
    () => false,
  )
  const vhosts = {
    async add(name: string) {
      await call('PUT', `vhosts/${name}`)
      await call('PUT', `permissions/${name}/${encodeURIComponent(user)}`, { configure: '.*', write: '.*', read: '.*' })
    },
    remove: (name: string) => call('DELETE', `vhosts/${name}`),
  }
  return { url, ...(isManaged && { vhosts }), close: async () => {} }
}

async function container(): Promise<BrokerSource | undefined> {
  const started = await startContainer(
    image,
    (made, wait) => made.withExposedPorts(5672).withWaitStrategy(wait.forLogMessage(/Server startup complete/)),
    containerMs,
  )
  if (!started) return undefined
  const ctl = async (...args: string[]) => {
    const { exitCode, output } = await started.exec(['rabbitmqctl', '-q', ...args])
    if (exitCode !== 0) throw new Error(`rabbitmqctl ${args[0]}: ${output}`)
  }
  return {
    url: `amqp://guest:guest@${started.getHost()}:${started.getMappedPort(5672)}`,
    vhosts: {
      async add(name) {
        await ctl('add_vhost', name)
        await ctl('set_permissions', '-p', name, 'guest', '.*', '.*', '.*')
      },
      remove: async () => {},
    },
    async close() {
      await started.stop()
    },
  }
}

async function install(): Promise<boolean> {
  await aptInstall('rabbitmq-server')
  return findRabbitServer() !== undefined
}
