import { apis, apiVersion, asyncapi, gatewayApi, openapi, refuse } from '@carapace/api'
import { networkReader } from '@carapace/chain'
import { content, defineService, type HandlersOf, type Platform, reply, type Subscription } from '@carapace/service'
import { type AgentRows, agentEvents, openAgentRows } from '../identity/agents.ts'
import { openSharedWindows } from '../rate/store.ts'
import { agentPage } from './agent-page.ts'
import { type ClockStore, clockStore, moveAllClocks } from './clock.ts'
import { commerceReceiptPage } from './commerce-receipt.ts'
import { type FaucetStore, faucetEvents, faucetStore, useFaucet } from './faucet.ts'
import type { NetworkSource } from './networks.ts'
import { pageHeaders } from './page.ts'
import { receiptPage, receiptPicture } from './receipt.ts'
import { referencePage } from './reference.ts'
import { sell } from './sale.ts'
import { transactionPage } from './transaction-page.ts'

/** What the process that starts the gateway passes in. */
export interface OwnOptions {
  /** Networks with their devnet mark, when they are known without a request to the relayer. */
  networks: NetworkSource | undefined
  publicBaseUrl: string
  internalKey: string
  address: Parameters<typeof sell>[0]['address']
}

interface Stores {
  agentRows: AgentRows
  clocks: ClockStore
  faucets: FaucetStore
  networks: NetworkSource
}
type Parts = Stores & Platform

/** The gateway's own endpoints: a service like the others, in the gateway's process and on its database. The door reads its agents too. */
export const ownService = (options: OwnOptions, agents: { rows?: AgentRows }) =>
  defineService({
    api: gatewayApi,
    stores: async (platform: Platform): Promise<Stores> => {
      await openSharedWindows(platform.db)
      agents.rows = openAgentRows(platform.db)
      return {
        agentRows: agents.rows,
        clocks: clockStore(platform),
        faucets: faucetStore(platform.db),
        networks: options.networks ?? networkReader(platform).all,
      }
    },
    http: parts => http(parts, options),
    events: ({ agentRows, faucets }: Parts): Subscription[] => [...agentEvents(agentRows), ...faucetEvents(faucets)],
  })

const http = (parts: Parts, options: OwnOptions): HandlersOf<typeof gatewayApi> => ({
  listNetworks: async () => {
    const networks = await parts.networks()
    const sandbox = isSandbox(parts, networks)
    return {
      networks: networks.map(({ devnet, finalityBlocks, tokenDomain, ...network }) => network),
      oracleWallet: parts.config.ORACLE_WALLET ?? null,
      sandbox: { faucet: sandbox, clock: sandbox },
    }
  },
  useFaucet: async ({ body, operationId }) => {
    await needSandbox(parts)
    return useFaucet(parts, operationId, body)
  },
  advanceClock: async ({ body }) => {
    await needSandbox(parts)
    const pending = await moveAllClocks(parts, await parts.clocks.advance(body.advanceSeconds))
    const now = parts.clock.now().toISOString()
    return pending.length === 0 ? { now } : reply(202, { now, pending })
  },

  listDeadLetters: async ({ query }) => {
    const deadLetters = await parts.bus.deadLetters(query.limit)
    return { deadLetters: deadLetters.map(({ event, ...message }) => message), total: deadLetters.length }
  },
  replayDeadLetter: async ({ params, body }) => {
    if (!(await parts.bus.replay(params.id, body.queue))) refuse('NOT_FOUND', { resource: 'dead letter' })
    return { replayed: true as const, id: params.id }
  },

  getOpenApi: () => openApiDocument,
  getAsyncApi: () => asyncApiDocument,
  getReferencePage: () => content('text/html; charset=utf-8', referencePage, pageHeaders),
  getReceiptPage: ({ params }) => receiptPage(parts, params.id, options.publicBaseUrl),
  getCommerceReceiptPage: ({ params }) => commerceReceiptPage(parts, params.jobId, options.publicBaseUrl),
  getTransactionPage: ({ params }) => transactionPage(parts, params.chain, params.hash),
  getAgentPage: ({ params }) => agentPage(parts, params.handle),
  getReceiptPicture: ({ params }) => receiptPicture(parts, params.id),
  payX402: ({ body, context }) => sell(options, body, context),
})

const openApiDocument = openapi(Object.values(apis), apiVersion)
const asyncApiDocument = asyncapi(Object.values(apis), apiVersion)

type Networks = Awaited<ReturnType<NetworkSource>>
const isSandbox = ({ config }: Platform, networks: Networks): boolean => config.SANDBOX === true && networks.every(({ devnet }) => devnet)

/** @throws ROUTE_NOT_FOUND where there is no sandbox */
async function needSandbox(parts: Parts): Promise<void> {
  if (parts.config.SANDBOX !== true || !isSandbox(parts, await parts.networks())) refuse('ROUTE_NOT_FOUND')
}
