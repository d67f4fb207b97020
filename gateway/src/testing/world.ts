import { randomBytes, randomUUID } from 'node:crypto'
import type { AgentRow } from '@carapace/api'
import { type Bus, inProcessBus, quiet } from '@carapace/bus'
import { toChecksum } from '@carapace/chain'
import { makeLog, readConfig } from '@carapace/service'
import { acquireMongo, type TestMongo } from '@carapace/testing'
import { type GatewayOptions, type RunningGateway, startGateway } from '../start.ts'
import { devnets } from './devnets.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export interface World {
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
export interface CallOptions {
  headers?: Record<string, string>
  body?: unknown
  raw?: string | Buffer
}
export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  body: any
  headers: Headers
}

export const noWallet = `0x${'0'.repeat(40)}`
/** A gateway on real storage and a real bus, in front of a stand-in for the services. */
export async function startWorld(env: Record<string, string> = {}, more: Partial<GatewayOptions> = {}): Promise<World> {
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
    internalKey,
    address: () => upstream.url,
    log: makeLog({ process: 'gateway', level: config.LOG_LEVEL }),
    networks: devnets,
    exclusive: true,
    ...more,
  }
  const gateway = await startGateway(options)
  return {
    url: gateway.url,
    gateway,
    upstream,
    bus,
    mongo,
    options,
    agent: fields => {
      const row = agentRow(fields)
      upstream.agents.set(row.agentId, row)
      return row
    },
    call: (method, path, call) => send(gateway.url, method, path, call),
    close: async () => {
      await gateway.close()
      await upstream.close()
      await bus.close()
      await mongo.close()
    },
  }
}

export async function send(url: string, method: string, path: string, { headers = {}, body, raw }: CallOptions = {}): Promise<Answer> {
  const bytes = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url + path, {
    method,
    headers: { ...(bytes === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(bytes === undefined ? {} : { body: bytes }),
    redirect: 'manual',
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

function agentRow(fields: Partial<AgentRow> = {}): AgentRow & { wallet: string } {
  const at = new Date().toISOString()
  const unregistered = { requested: false, registered: false, tokenId: null, confirmedAt: null }
  return {
    agentId: randomUUID(),
    handle: `agent-${randomBytes(4).toString('hex')}`,
    walletProven: false,
    agentType: null,
    skills: [],
    verifiedSkills: [],
    preferredChain: 'BASE_SEPOLIA',
    chains: { BASE_SEPOLIA: unregistered, SKALE_TESTNET: unregistered },
    cardTokenId: 1,
    status: 'active',
    platform: false,
    requireSignature: false,
    lastSeenAt: at,
    registeredAt: at,
    version: 1,
    ...fields,
    wallet: fields.wallet ?? toChecksum(`0x${randomBytes(20).toString('hex')}`),
  }
}
