import { apis, gatewayApi, limits, routes, type ServiceApi, type ServiceName } from '@carapace/api'
import type { Bus, QueueSpec } from '@carapace/bus'
import { type KnownNetwork, networkReader } from '@carapace/chain'
import {
  type Config,
  closeServer,
  drainServer,
  fastExpress,
  type Logger,
  listen,
  makePeers,
  nothingAwaited,
  type Prerequisites,
  startService,
} from '@carapace/service'
import type { Tasks } from './a2a/tasks.ts'
import { authPolicy } from './auth-policy.ts'
import { type CacheLimits, microCache } from './cache/micro-cache.ts'
import { verifierOfSent, withLegacy } from './compat/legacy.ts'
import { crossOrigin } from './door/cross-origin.ts'
import { door } from './door/door.ts'
import { answerBrokenRequests } from './door/malformed.ts'
import { chainChecks } from './door/readiness.ts'
import { recorder } from './door/record.ts'
import { untilOpen } from './door/until-open.ts'
import { adminRules } from './identity/admin-caller.ts'
import { openAdminLog } from './identity/admin-log.ts'
import { type AgentRows, openAgents } from './identity/agents.ts'
import { attemptsOf } from './identity/attempts.ts'
import { verifier } from './identity/erc8128.ts'
import { namedAgent } from './identity/named-agent.ts'
import { openNonces } from './identity/nonces.ts'
import { insideDoor } from './inside/inside.ts'
import { outerSignatures } from './inside/outer-signature.ts'
import { openProtocols } from './open-protocols.ts'
import { operatorDoor } from './operator/operator.ts'
import { operatorStore } from './operator/store.ts'
import { ownService } from './own/service.ts'
import { protocolsApi } from './protocols.ts'
import { vouching } from './proxy/forwarded.ts'
import { openPools } from './proxy/pipe.ts'
import { openStreams } from './proxy/streams.ts'
import { rateLimits } from './rate/limits.ts'
import { sharedWindows } from './rate/store.ts'
import { memoryWindows } from './rate/windows.ts'
import { commonHeaders } from './request/headers.ts'
import { hostCheck, peerOf } from './request/request.ts'
import { type Assets, loadAssets } from './web/assets.ts'
import { counted } from './x402/counted.ts'
import { openSales } from './x402/step.ts'

export interface GatewayOptions {
  config: Config
  mongoUri: string
  bus: Bus
  /** The queues of all consumers: nothing is published before they exist. */
  queues: readonly QueueSpec[]
  internalKey: string
  /** Where a service answers; may change while the gateway runs. */
  address: (service: ServiceName) => string
  log: Logger
  /** Both networks, if the starter knows them; else they are read from the relayer. */
  networks?: readonly KnownNetwork[]
  /** No other gateway shares the database (embedded start): limits are counted in memory. */
  exclusive?: boolean
  /** Waits for what is absent. Default: the start fails. */
  prerequisites?: Prerequisites
  /** In-process bus: resolves when every service listens. */
  allUp?: Promise<void>
  /** So long clients are still served on their connections when it closes, ms. Default 0. */
  lingerMs?: number
  upstreamTimeoutMs?: number
  cacheLimits?: CacheLimits
}

export interface RunningGateway {
  url: string
  /** The address that clients use. */
  publicBaseUrl: string
  /** Signs an operator in, once and from this machine only. */
  operatorLink(): Promise<string | undefined>
  /** Lets running requests end, then closes everything it opened; not the bus. */
  close(): Promise<void>
}

const graceMs = 10_000
/** Longer than the 60 s for which load balancers use an idle connection. */
const keepAliveMs = 65_000

/**
 * Starts the public door and the gateway's own endpoints. Resolves when it serves.
 * @throws Error when the configuration would leave the door open (see `authPolicy`, `adminRules`)
 */
export async function startGateway(given: GatewayOptions): Promise<RunningGateway> {
  const { config, prerequisites = nothingAwaited } = given
  const { app, server } = fastExpress(keepAliveMs)
  const trustsProxies = config.TRUSTED_PROXIES.length > 0
  app.set('trust proxy', trustsProxies ? config.TRUSTED_PROXIES : false)

  // The port is bound first: it is part of the public address, and a second start ends here. Requests wait until all is open.
  const early = untilOpen(prerequisites, given.bus)
  let serve: ReturnType<typeof door> = early.handle
  app.use((request, response) => serve(request, response))
  const url = await listen(server, config.PORT, config.HOST)
  const publicBaseUrl = (config.PUBLIC_BASE_URL ?? url).replace(/\/+$/, '')

  const streams = openStreams()
  let isDraining = false
  let started: Awaited<ReturnType<typeof startParts>> | undefined
  try {
    const options = await withNetworks(given, prerequisites)
    const { mode, exposed } = authPolicy(config, options.networks)
    const admins = adminRules(config, publicBaseUrl)
    const assets = await loadAssets(publicBaseUrl)
    const parts = await startParts(options, publicBaseUrl, mode, assets)
    started = parts
    const { db, peers, metrics, log, newId } = parts.own.platform
    answerBrokenRequests(server, newId)
    const table = routes([...servedApis(options), protocolsApi])
    const inside = insideDoor(server)
    const { verifySignature, verifyOuter } = outerSignatures(verifierOfSent(verifier({ nonces: await openNonces(db), peers, publicBaseUrl })), inside)
    const identity = { mode, exposed, admins, agents: parts.agents, verifySignature }
    const adminLog = await openAdminLog(db)
    const cache = microCache(options.cacheLimits)
    const operator = operatorDoor({
      ...{
        mustSign: mode === 'signed' || exposed,
        publicBaseUrl,
        paths: assets.paths,
        clock: parts.own.platform.clock,
        admins,
        adminLog,
        cache,
        peers,
        newId,
        internalKey: options.internalKey,
      },
      ...{ store: await operatorStore(db), verifySignature: verifySignature, rates: parts.rates, originOf: parts.pools.originOf },
    })
    // as many as there may be requests: what is over the limit must not cost identity a read
    const { count: countLookup } = attemptsOf(config.RATE_LIMIT_READ + config.RATE_LIMIT_WRITE * limits.rate.perIpFactor)
    const { tasks, own: service } = parts
    const spoken = await openProtocols({ inside, identity, verifyOuter, tasks, countLookup, publicBaseUrl, platform: service.platform })
    const own = door({
      table,
      protocols: spoken.protocols,
      pools: parts.pools,
      streams,
      rates: parts.rates,
      cache,
      identity,
      adminLog,
      operator,
      inside,
      peers,
      sell: counted(
        openSales({ config, internalKey: options.internalKey, publicBaseUrl, peers, agents: parts.agents, networks: parts.networks, log }),
        metrics,
      ),
      crossOrigin: crossOrigin(mode, publicBaseUrl),
      checkHost: hostCheck(mode, publicBaseUrl, config.ALLOWED_HOSTS),
      local: {
        assets: assets.files,
        readiness: {
          needed: { mongodb: () => db.ready() },
          useful: { bus: () => options.bus.ready(), ...chainChecks(peers) },
          isDraining: () => isDraining,
        },
        metrics,
        metricsToken: config.METRICS_TOKEN,
        trustsProxies,
      },
      vouch: vouching(options.internalKey),
      trustsProxies,
      upstreamTimeoutMs: options.upstreamTimeoutMs ?? 15_000,
      common: commonHeaders({ mode, hsts: publicBaseUrl.startsWith('https:') }),
      log,
      // its lines hold nothing that would have to be cut out, and there are many of them
      record: recorder(log.child({}, { redact: [] }), metrics),
    })
    serve = withLegacy(own, table, request => namedAgent(request, parts.agents, () => countLookup(peerOf(request, trustsProxies).ip)))
    early.open(serve)
    return {
      url,
      publicBaseUrl,
      operatorLink: operator.link,
      close: async () => {
        isDraining = true
        drainServer(server)
        streams.close()
        await Promise.all([spoken.close(), closeServer(server, graceMs, given.lingerMs)])
        await parts.close()
      },
    }
  } catch (error) {
    streams.close()
    await closeServer(server, 0)
    await started?.close()
    throw error
  }
}

/** Plain mode has to know whether the networks are devnets before it opens the door; signed mode reads them when a request needs them. */
async function withNetworks(options: GatewayOptions, prerequisites: Prerequisites): Promise<GatewayOptions> {
  if (options.networks || options.config.AUTH_MODE !== 'plain') return options
  const { all } = networkReader({ peers: makePeers(options.address, options.internalKey) })
  return { ...options, networks: await prerequisites.open('chain-relayer', all, () => true) }
}

/** Without a sandbox its routes do not exist; a request to one is not even parsed. */
function servedApis({ config, networks }: GatewayOptions): ServiceApi[] {
  if (config.SANDBOX === true && (networks ?? []).every(({ devnet }) => devnet)) return Object.values(apis)
  const { useFaucet, advanceClock, ...endpoints } = gatewayApi.endpoints
  return Object.values({ ...apis, gateway: { ...gatewayApi, endpoints } })
}

/** What the door serves from: the gateway's own service, connections to all services, the rate windows. */
async function startParts(options: GatewayOptions, publicBaseUrl: string, mode: 'plain' | 'signed', { paths }: Assets) {
  const { config, internalKey, networks } = options
  let ownUrl = ''
  const opened: { rows?: AgentRows; tasks?: Tasks } = {}
  const address = (service: ServiceName) => (service === 'gateway' ? ownUrl : options.address(service))
  const own = await startService(
    ownService({ networks: networks && (() => Promise.resolve(networks)), publicBaseUrl, mode, paths, internalKey, address }, opened),
    {
      ...options,
      address,
      host: '127.0.0.1',
      port: 0,
    },
  )
  ownUrl = own.url
  const { db, log } = own.platform
  const pools = openPools(address)
  const rates = rateLimits({
    mode,
    read: config.RATE_LIMIT_READ,
    write: config.RATE_LIMIT_WRITE,
    windows: (prefix, limit) => (options.exclusive ? memoryWindows() : sharedWindows(db, prefix, limit, log)),
  })
  const close = async () => {
    await rates.close()
    await pools.close()
    await own.close()
  }
  const { peers } = own.platform
  const readNetworks = networks ? () => Promise.resolve(networks) : networkReader({ peers }).all
  return { own, agents: openAgents(opened.rows!, peers), tasks: opened.tasks!, networks: readNetworks, pools, rates, close }
}
