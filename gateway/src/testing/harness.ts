import { randomBytes } from 'node:crypto'
import { type AgentRow, gatewayApi, queuesOf } from '@carapace/api'
import { type Bus, inProcessBus, quiet } from '@carapace/bus'
import { makeLog, readConfig } from '@carapace/service'
import { type Answer, acquireMongo, type CallOptions, httpCall, newTestAgent, newWallet, type TestMongo } from '@carapace/testing'
import { type GatewayOptions, type RunningGateway, startGateway } from '../start.ts'
import { devnets } from './devnets.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export interface Harness {
  url: string
  gateway: RunningGateway
  upstream: Upstream
  bus: Bus
  mongo: TestMongo
  /** The options it was started with, to start a second one like it. */
  options: GatewayOptions
  /** A registered agent that only its owner knows of yet. */
  agent(fields?: Partial<AgentRow>): AgentRow & { wallet: string }
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  close(): Promise<void>
}
export const noWallet = `0x${'0'.repeat(40)}`
/** A gateway on real storage and a real bus, in front of a stand-in for the services. */
export async function startHarness(env: Record<string, string> = {}, more: Partial<GatewayOptions> = {}): Promise<Harness> {
  const mongo = await acquireMongo()
  const bus = inProcessBus({ log: quiet, retry: { delaysMs: [5, 10, 20], limit: 5 } })
  const internalKey = randomBytes(32).toString('hex')
  const upstream = await startUpstream(internalKey)
  const config = readConfig({
    PORT: '0',
    AUTH_MODE: 'plain',
    SANDBOX: 'yes',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_READ: '1000000',
    RATE_LIMIT_WRITE: '1000000',
    CHECK_ANSWERS: 'true',
    DB_PREFIX: mongo.prefix,
    ...env,
  })
  const options: GatewayOptions = {
    config,
    mongoUri: mongo.uri,
    bus,
    queues: queuesOf([gatewayApi]),
    internalKey,
    address: () => upstream.url,
    log: makeLog({ process: 'gateway', level: config.LOG_LEVEL }),
    networks: devnets,
    exclusive: true,
    ...more,
  }
  const closeParts = async () => {
    await upstream.close()
    await bus.close()
    await mongo.close()
  }
  const gateway = await startGateway(options).catch(async (error: unknown) => {
    await closeParts()
    throw error
  })
  return {
    url: gateway.url,
    gateway,
    upstream,
    bus,
    mongo,
    options,
    agent: fields => {
      const row = { ...newTestAgent().row, walletProven: false, ...fields, wallet: fields?.wallet ?? newWallet() }
      upstream.agents.set(row.agentId, row)
      return row
    },
    call: (method, path, call) => httpCall(gateway.url, method, path, call),
    close: async () => {
      await gateway.close()
      await closeParts()
    },
  }
}
