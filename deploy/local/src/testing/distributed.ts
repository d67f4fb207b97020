import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { acquireBroker, openSystem, type System, startOwnBroker } from '@carapace/testing'
import { environment } from '../config.ts'
import { type Distributed, startDistributed } from '../distributed/start.ts'
import type { Victim } from '../torture/torture.ts'
import { temporaryDataDir } from './child.ts'

export interface DistributedSystem {
  system: System
  platform: Distributed
  /** All that may be killed, the supervisor and the broker excepted. */
  victims: Victim[]
  end(): Promise<void>
}

/** All services as processes of their own, on a broker, a database and devnets that nobody else uses. */
export async function startDistributedSystem(): Promise<DistributedSystem> {
  const folder = await temporaryDataDir()
  const broker = await ownPlace()
  const base = await freePorts(12)
  const variables = {
    PATH: environment.PATH,
    DATA_DIR: folder.path,
    AMQP_URL: broker.url,
    PORT: String(base),
    SERVICE_PORT_BASE: String(base + 1),
    DEVNET_RPC_PORT: '0',
    LOG_LEVEL: environment.LOG_LEVEL ?? 'silent',
    RATE_LIMIT_READ: '1000000',
    RATE_LIMIT_WRITE: '1000000',
  }
  const platform = await startDistributed(variables)
  const system = await openSystem(platform.url)
  return {
    system,
    platform,
    victims: [...platform.processes, ...platform.ground],
    end: async () => {
      system.close()
      await platform.close()
      await broker.stop()
      await folder.remove()
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

/** The first of so many free ports in a row, below those that systems hand out by themselves. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const base = randomInt(15_000, 32_000)
    const free = await Promise.all(Array.from({ length: count }, (_, n) => isFree(base + n)))
    if (free.every(Boolean)) return base
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
