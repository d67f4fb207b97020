import path from 'node:path'
import type { ServiceName } from '@carapace/api'
import { addressesOf, baseUrlOf, type Config, required, servicePort } from '@carapace/service'
import { leaveAddresses } from '../addresses.ts'
import { type Environment, startEnvironment, type Variables } from '../environment.ts'
import { services } from '../services.ts'
import { startOwning } from '../start.ts'
import { builtProgram, joinPrograms } from './programs.ts'
import { type Supervised, supervise } from './supervise.ts'

export interface DistributedOptions {
  /** Services that run once on each of these addresses of this machine; SERVICE_URL then names all of them by one host name. Default: one of each, on HOST. */
  replicas?: { of: readonly ServiceName[]; hosts: readonly string[] }
  /** Programs as they were built, whose modules a preloaded one may change; they start later. Default: joined into few files. */
  asBuilt?: boolean
  /** Variables of services and gateway that are read at each start of a process: an operator exchanges them meanwhile. */
  presentVariables?: () => Variables
}

export interface Distributed {
  url: string
  config: Config
  parts: Record<string, string>
  /** Services and gateway. */
  processes: Supervised[]
  /** The database and the chains, where this start runs them. */
  environment: Environment['processes']
  close(): Promise<void>
}

/**
 * One process per service and one for the gateway, on RabbitMQ; database and devnets as in the embedded start.
 * @throws Error when AMQP_URL is missing, the data folder is in use, or a process does not get ready
 */
export const startDistributed = (given: Variables, { replicas, asBuilt = false, presentVariables }: DistributedOptions = {}): Promise<Distributed> =>
  startOwning(async own => {
    const { config, variables, log, parts, processes: environment } = await startEnvironment(given, own)
    required(config, 'AMQP_URL')
    const address = addressesOf(config)
    const say = (message: string) => log.warn(message)
    const names = services.map(({ api }) => api.name as ServiceName)
    const programOf = asBuilt ? builtProgram : await joinPrograms([...names, 'gateway'], path.join(config.DATA_DIR, 'programs'))
    const launch = (name: ServiceName, url: string, place: Record<string, string>) =>
      supervise({ name, file: programOf(name), environment: () => ({ ...variables, ...place, ...presentVariables?.() }), url, say })
    const start = (name: ServiceName): Supervised[] => {
      const port = name === 'gateway' ? config.PORT : servicePort(name, config.SERVICE_PORT_BASE)
      if (replicas?.of.includes(name))
        return replicas.hosts.map(host => own(launch(name, `http://${host}:${port}`, { PORT: String(port), HOST: host })))
      const url = name === 'gateway' || replicas ? `http://${config.HOST}:${port}` : address(name)
      return [own(launch(name, url, { PORT: String(port) }))]
    }
    const startAll = async (names: ServiceName[]) => {
      const started = names.flatMap(start)
      await Promise.all(started.map(one => one.ready()))
      return started
    }
    const processes = [...(await startAll(names)), ...(await startAll(['gateway']))]
    const url = baseUrlOf(config)
    const where = Object.fromEntries(names.map(name => [name, address(name)]))
    own(await leaveAddresses(config.DATA_DIR, { ...where, gateway: `http://${config.HOST}:${config.PORT}` }))
    return { url, config, parts: { gateway: url, ...where, ...parts, events: 'RabbitMQ' }, processes, environment }
  })
