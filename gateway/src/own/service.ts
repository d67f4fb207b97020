import { gatewayApi, refuse } from '@carapace/api'
import { networkReader } from '@carapace/chain'
import { allowsLoopback, defineService, type HandlersOf, type OutgoingOptions, type Platform, reply, type Subscription } from '@carapace/service'
import { a2aJobs } from '../a2a/jobs.ts'
import { openTasks, type Tasks } from '../a2a/tasks.ts'
import { type AgentRows, agentEvents, openAgentRows } from '../identity/agents.ts'
import { catchUpJob } from '../identity/catch-up.ts'
import type { NetworkSource } from '../networks.ts'
import { openSharedWindows } from '../rate/store.ts'
import { pageAnswers } from '../web/answer.ts'
import type { AssetPaths } from '../web/assets.ts'
import { siteHandlers } from '../web/site/routes.ts'
import { type ClockStore, clockStore, moveAllClocks } from './clock.ts'
import { asyncApiDocument, openApiDocument } from './documents.ts'
import { type FaucetStore, faucetEvents, faucetStore, useFaucet } from './faucet.ts'
import { sell } from './sale.ts'

/** What the process that starts the gateway passes in. */
export interface OwnOptions {
  /** Networks with their devnet mark, when they are known without a request to the relayer. */
  networks: NetworkSource | undefined
  publicBaseUrl: string
  mode: 'plain' | 'signed'
  /** Files that pages load. */
  paths: AssetPaths
  internalKey: string
  address: Parameters<typeof sell>[0]['address']
}

interface Stores {
  agentRows: AgentRows
  clocks: ClockStore
  faucets: FaucetStore
  networks: NetworkSource
  a2aTasks: Tasks
  /** Of push notifications. */
  outgoing: OutgoingOptions
}
type Parts = Stores & Platform

/** The gateway's own endpoints: a service like the others, in the gateway's process and on its database. The door uses what is `opened` too. */
export const ownService = (options: OwnOptions, opened: { rows?: AgentRows; tasks?: Tasks }) =>
  defineService({
    api: gatewayApi,
    stores: async (platform: Platform): Promise<Stores> => {
      await openSharedWindows(platform.db)
      opened.rows = openAgentRows(platform.db)
      const outgoing = { allowsLoopback: allowsLoopback(platform) }
      opened.tasks = await openTasks({ ...platform, outgoing })
      return {
        agentRows: opened.rows,
        a2aTasks: opened.tasks,
        outgoing,
        clocks: clockStore(platform),
        faucets: faucetStore(platform.db),
        networks: options.networks ?? networkReader(platform).all,
      }
    },
    http: parts => http(parts, options),
    events: ({ agentRows, faucets }: Parts): Subscription[] => [...agentEvents(agentRows), ...faucetEvents(faucets)],
    jobs: parts => [...a2aJobs(parts), catchUpJob(parts)],
    measuresAllQueues: true,
  })

const http = (parts: Parts, options: OwnOptions): HandlersOf<typeof gatewayApi> => ({
  listNetworks: async () => {
    const networks = await parts.networks()
    const sandbox = isSandbox(parts, networks)
    return {
      networks: networks.map(({ devnet, finalityBlocks, tokenDomain, formerContracts, ...network }) => network),
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

  getOpenApi: openApiDocument,
  getAsyncApi: asyncApiDocument,
  ...siteHandlers(sitePartsOf(parts, options), openApiDocument),
  payX402: ({ body, context }) => sell(options, body, context),
})

const sitePartsOf = (parts: Parts, { publicBaseUrl, mode, paths }: OwnOptions) => ({
  ...parts,
  publicBaseUrl,
  mode,
  isSandbox: async () => isSandbox(parts, await parts.networks()),
  pages: pageAnswers({ ...parts, publicBaseUrl, paths }),
})

type Networks = Awaited<ReturnType<NetworkSource>>
const isSandbox = ({ config }: Platform, networks: Networks): boolean => config.SANDBOX === true && networks.every(({ devnet }) => devnet)

/** @throws ROUTE_NOT_FOUND where there is no sandbox */
async function needSandbox(parts: Parts): Promise<void> {
  if (parts.config.SANDBOX !== true || !isSandbox(parts, await parts.networks())) refuse('ROUTE_NOT_FOUND')
}
