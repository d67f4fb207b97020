import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import {
  type CommandMemory,
  commandConfirmed,
  commandFailed,
  commandMemory,
  commandReorged,
  hearCommands,
  knownNetworks,
  laneStatus,
  neighbour,
  newcomer,
  newHash,
  newWallet,
  startPlatform,
  type TestAgent,
  type TestPlatform,
  type TestPlatformOptions,
  until,
} from '@carapace/testing'
import { escrow } from '../index.ts'

/** lost: it is confirmed, and the message of it is gone. */
type Outcome = 'confirm' | 'fail' | 'wait' | 'lost'

/** The neighbours of the escrow as their declared internal reads, over plain maps that a test fills; the chain answers commands as `chain` says. */
export interface World {
  platform: TestPlatform
  gigs: Map<string, api.GigRow>
  validations: Map<string, api.ValidationRow[]>
  /** USDC (µ) by `<chain>/<address>`; allowances to any of our contracts by owner. */
  balances: Map<string, bigint>
  allowances: Map<string, bigint>
  /** Custodial wallets by agent, and what treasury answers to a reservation. */
  custodial: Map<string, string>
  treasuryRefuses: api.ErrorCode | undefined
  /** What treasury says may be spent, beside the balance. Undefined: it is away. */
  spendable: { dailyLimit: bigint; remaining: bigint; debt?: bigint } | undefined
  /** Of a reservation asked for: `voided` for one that was given back before. */
  reservation: 'held' | 'voided'
  reservations: { key: string; round: number }[]
  /** Bond locks for which the marketplace says that the gig is assigned. */
  assigned: Set<string>
  /** What a gig shows of its escrow; by default the marketplace answers no reads. */
  gigShows: (gigId: string) => string
  /** Status of a slash in reputation's lists; by default reputation is away. */
  listed: (slashId: string) => api.Slash['status'] | undefined
  transactions: Map<string, { from: string; logs: api.ChainLog[]; final: boolean; blockHash?: string }>
  /** Every command in the order it came. */
  commands: api.ChainCommand[]
  /** How the chain treats a command. Default: confirms it at once. */
  chain: (command: api.ChainCommand) => Outcome
  /** What the chain decided, as the relayer tells it when it is asked. */
  memory: CommandMemory
  outcome(command: api.ChainCommand, outcome: 'confirm' | 'fail' | 'reorg', code?: string, seq?: number): Promise<void>
  close(): Promise<void>
}

export const contracts = { escrow: toChecksum(`0x${'e5'.repeat(20)}`), bond: toChecksum(`0x${'b0'.repeat(20)}`) }
export const lane = toChecksum(`0x${'1a'.repeat(20)}`)

/** @param world is filled; without one a new one is made */
export async function startWorld(options: TestPlatformOptions = {}, world = {} as World): Promise<World> {
  Object.assign(world, {
    gigs: new Map(),
    validations: new Map(),
    balances: new Map(),
    allowances: new Map(),
    custodial: new Map(),
    treasuryRefuses: undefined,
    spendable: { dailyLimit: usdc(50), remaining: usdc(50) },
    reservation: 'held',
    reservations: [],
    assigned: new Set(),
    gigShows: () => api.refuse('DEPENDENCY_UNAVAILABLE'),
    listed: () => api.refuse('DEPENDENCY_UNAVAILABLE'),
    transactions: new Map(),
    commands: [],
    chain: () => 'confirm',
    memory: world.memory ?? commandMemory(),
  } satisfies Partial<World>)
  const wanted = <T>(found: T | undefined, resource: string): T => found ?? api.refuse('NOT_FOUND', { resource })
  const reputation = neighbour(api.reputationApi, {
    getListedSlash: ({ params }) => ({ slashId: params.id, status: wanted(world.listed(params.id), 'slash') }),
  })
  const { getGig } = api.marketplaceApi.endpoints
  const offered = { ...api.marketplaceApi, internal: { ...api.marketplaceApi.internal, getGig: { ...getGig, response: undefined } } }
  const marketplace = neighbour(offered, {
    getGig: ({ params }: { params: { id: string } }) => ({ escrowStatus: world.gigShows(params.id) }),
    getGigRow: ({ params }) => wanted(world.gigs.get(params.id), 'gig'),
    settleAcceptance: ({ params }) => ({ assigned: world.assigned.has(`${params.id}/${params.agentId}`) }),
  })
  // agents are known from their events; beside those identity knows nobody
  const nobody = () => api.refuse('NOT_FOUND', { resource: 'agent' })
  const identity = neighbour(api.identityApi, { getAgentRow: nobody, getAgentRowByHandle: nobody })
  const swarm = neighbour(api.swarmApi, { listGigValidations: ({ params }) => ({ validations: world.validations.get(params.gigId) ?? [] }) })
  const treasury = neighbour(api.treasuryApi, {
    getWalletRow: ({ params }) => {
      const address = wanted(world.custodial.get(params.agentId), 'wallet')
      return { walletId: params.agentId, agentId: params.agentId, address, chain: 'BASE_SEPOLIA' as const, version: 1 }
    },
    getSpendable: ({ params, query }) => {
      const { dailyLimit, remaining, debt = 0n } = world.spendable ?? api.refuse('DEPENDENCY_UNAVAILABLE')
      const address = world.custodial.get(params.agentId) ?? null
      const available = world.balances.get(`${query.chain}/${address}`) ?? 0n
      const resetsAt = '2026-01-02T00:00:00.000Z'
      return {
        address,
        available: String(available),
        debt: String(debt),
        dailyLimit: String(dailyLimit),
        remaining: String(remaining),
        resetsAt,
      }
    },
    reserveFunds: ({ body }) => {
      if (world.treasuryRefuses) api.refuse(world.treasuryRefuses)
      world.reservations.push({ key: body.key, round: body.round })
      const address = wanted(world.custodial.get(body.agentId), 'wallet')
      return { reservationId: randomUUID(), status: world.reservation, agentId: body.agentId, address, amount: body.amount, chain: body.chain }
    },
  })
  const networks = knownNetworks(contracts)
  const relayer = neighbour(api.chainRelayerApi, {
    chainBalance: ({ params }) => ({
      usdc: String(world.balances.get(`${params.chain}/${toChecksum(params.wallet)}`) ?? 0n),
      native: '0',
      blockNumber: 1,
    }),
    chainAllowance: ({ params }) => ({ usdc: String(world.allowances.get(`${params.chain}/${toChecksum(params.owner)}`) ?? 0n), blockNumber: 1 }),
    chainNetworks: () => ({ networks }),
    chainOutcomes: ({ body }) => world.memory.answer(body.operations),
    chainTx: ({ params }) => {
      const { from, logs, final, blockHash = newHash() } = wanted(world.transactions.get(params.hash), 'transaction')
      const rest = { to: null, value: '0', input: '0x', success: true, blockNumber: 7, blockHash, blockTime: 1, confirmations: 3 }
      return { hash: params.hash, from, logs, final, ...rest }
    },
    chainStatus: ({ params }) => laneStatus(params.chain, lane),
  })

  const platform = await startPlatform([identity, reputation, marketplace, swarm, treasury, relayer, escrow], options)
  world.platform = platform
  const drafts = { confirm: commandConfirmed, fail: commandFailed, reorg: commandReorged }
  world.outcome = async (command, outcome, code, seq) => {
    const draft = drafts[outcome](command, { seq, code })
    if (outcome !== 'reorg') world.memory.note(draft)
    await platform.publish(draft)
  }
  const consumer = await hearCommands(platform.bus, async command => {
    world.commands.push(command)
    world.memory.received(command)
    const outcome = world.chain(command)
    if (outcome === 'lost') world.memory.note(commandConfirmed(command))
    else if (outcome !== 'wait') await world.outcome(command, outcome)
  })
  world.close = async () => {
    await consumer.close()
    await platform.close()
  }
  return world
}

/** An agent that the escrow has heard of. */
export async function newAgent({ platform }: World): Promise<TestAgent> {
  const { agent, registered } = newcomer()
  await platform.publish(registered)
  return agent
}

export const usdc = (whole: number): bigint => BigInt(Math.round(whole * 1e6))
export const oracle = { 'x-admin-wallet': newWallet() }
export { until }
