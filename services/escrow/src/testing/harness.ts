import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import {
  type CommandMemory,
  commandConfirmed,
  commandFailed,
  commandMemory,
  commandReorged,
  knownNetworks,
  laneStatus,
  newHash,
  newTestAgent,
  newWallet,
  receiveCommands,
  startPlatform,
  stubPeer,
  type TestAgent,
  type TestPlatform,
  type TestPlatformOptions,
  until,
} from '@carapace/testing'
import { escrow } from '../index.ts'

/** lost: it is confirmed, and the message of it is lost. */
type Outcome = 'confirm' | 'fail' | 'wait' | 'lost'

/** The peers of the escrow as their declared internal reads, over plain maps that a test fills; the chain answers commands as `chain` says. */
export interface Harness {
  platform: TestPlatform
  gigs: Map<string, api.GigRow>
  validations: Map<string, api.ValidationRow[]>
  jobs: Map<string, api.JobRow>
  /** What the swarm was sent of the funding of rewards. */
  fundings: { validationId: string; rewards: { validatorId: string; funded: string }[] }[]
  /** USDC (µ) by `<chain>/<address>`; allowances to any of our contracts by owner. */
  balances: Map<string, bigint>
  allowances: Map<string, bigint>
  /** Custodial wallets by agent, and what treasury answers to a reservation. */
  custodial: Map<string, string>
  treasuryRefuses: api.RuleCode | undefined
  /** What treasury says may be spent, next to the balance. Undefined: it is away. */
  spendable: { dailyLimit: bigint; remaining: bigint; debt?: bigint } | undefined
  /** Of a requested reservation: `voided` for one that was given back before. */
  reservation: 'held' | 'voided'
  reservations: { key: string; round: number }[]
  /** Bond locks for which the marketplace says that the gig is assigned. */
  assigned: Set<string>
  isAssigned: (gigAndAgent: string) => Promise<boolean>
  /** Agents that identity knows, by id; and the version of a bond that their profiles show: by default identity answers no such reads. */
  agents: Map<string, api.AgentRow>
  bondVersionShown: () => number | undefined
  /** What a gig shows of its escrow; by default the marketplace answers no reads. */
  gigShows: (gigId: string) => api.Gig['escrowStatus']
  /** Status of a slash in reputation's lists; by default reputation is away. */
  listed: (slashId: string) => api.Slash['status'] | undefined
  transactions: Map<string, { from: string; logs: api.ChainLog[]; final: boolean; blockHash?: string }>
  /** Stake (µ) that a Bond has, by `<contract>/<wallet>`, and the block of that. */
  stakes: Map<string, bigint>
  blockNumber: number
  /** Every command in the order it came. */
  commands: api.ChainCommand[]
  /** How the chain treats a command. Default: confirms it immediately. */
  chain: (command: api.ChainCommand) => Outcome
  /** What the chain decided, as the relayer answers it when it is polled. */
  memory: CommandMemory
  outcome(command: api.ChainCommand, outcome: 'confirm' | 'fail' | 'reorg', code?: string, seq?: number): Promise<void>
  close(): Promise<void>
}

export const contracts = { escrow: toChecksum(`0x${'e5'.repeat(20)}`), bond: toChecksum(`0x${'b0'.repeat(20)}`) }
/** The escrow contract before the present one. */
export const formerEscrow = toChecksum(`0x${'f0'.repeat(20)}`)
/** The Bond before the present one and its pool, where a test wants them. */
export const formerBond = toChecksum(`0x${'fb'.repeat(20)}`)
const withFormerBond = { bond: [formerBond], swarmValidator: [toChecksum(`0x${'fc'.repeat(20)}`)] }
export const lane = toChecksum(`0x${'1a'.repeat(20)}`)

/** @param harness is filled; without one a new one is made @param hasFormerBond the Bond was replaced, too */
export async function startHarness(options: TestPlatformOptions = {}, harness = {} as Harness, hasFormerBond = false): Promise<Harness> {
  Object.assign(harness, {
    gigs: new Map(),
    validations: new Map(),
    jobs: new Map(),
    fundings: [],
    balances: new Map(),
    allowances: new Map(),
    custodial: new Map(),
    treasuryRefuses: undefined,
    spendable: { dailyLimit: usdc(50), remaining: usdc(50) },
    reservation: 'held',
    reservations: [],
    assigned: new Set(),
    isAssigned: async gigAndAgent => harness.assigned.has(gigAndAgent),
    agents: new Map(),
    bondVersionShown: () => undefined,
    gigShows: () => api.refuse('DEPENDENCY_UNAVAILABLE'),
    listed: () => api.refuse('DEPENDENCY_UNAVAILABLE'),
    transactions: new Map(),
    stakes: new Map(),
    blockNumber: 9,
    commands: [],
    chain: () => 'confirm',
    memory: harness.memory ?? commandMemory(),
  } satisfies Partial<Harness>)
  const wanted = <T>(found: T | undefined, resource: string): T => found ?? api.refuse('NOT_FOUND', { resource })
  const reputation = stubPeer(api.reputationApi, {
    getListedSlash: ({ params }) => ({ slashId: params.id, status: wanted(harness.listed(params.id), 'slash') }),
  })
  const marketplace = stubPeer(api.marketplaceApi, {
    getGigEscrowStatus: ({ params }) => ({ escrowStatus: harness.gigShows(params.id) }),
    getGigRow: ({ params }) => wanted(harness.gigs.get(params.id), 'gig'),
    settleAcceptance: async ({ params }) => ({ assigned: await harness.isAssigned(`${params.id}/${params.agentId}`) }),
  })
  // agents are known from their events; next to those identity knows nobody
  const nobody = () => api.refuse('NOT_FOUND', { resource: 'agent' })
  const identity = stubPeer(api.identityApi, {
    getAgentRow: ({ params }) => {
      const agent = harness.agents.get(params.id) ?? nobody()
      return { ...agent, bondVersion: harness.bondVersionShown() ?? api.refuse('DEPENDENCY_UNAVAILABLE') }
    },
    getAgentRowByHandle: nobody,
  })
  const swarm = stubPeer(api.swarmApi, {
    listGigValidations: ({ params }) => ({ validations: harness.validations.get(params.gigId) ?? [] }),
    noteFunding: ({ params, body }) => {
      harness.fundings.push({ validationId: params.id, rewards: body.rewards })
      return {}
    },
  })
  const commerce = stubPeer(api.commerceApi, { getJobRow: ({ params }) => wanted(harness.jobs.get(params.id), 'job') })
  const treasury = stubPeer(api.treasuryApi, {
    getWalletRow: ({ params }) => {
      const address = wanted(harness.custodial.get(params.agentId), 'wallet')
      return { walletId: params.agentId, agentId: params.agentId, address, chain: 'BASE_SEPOLIA' as const, version: 1 }
    },
    getSpendable: ({ params, query }) => {
      const { dailyLimit, remaining, debt = 0n } = harness.spendable ?? api.refuse('DEPENDENCY_UNAVAILABLE')
      const address = harness.custodial.get(params.agentId) ?? null
      const available = harness.balances.get(`${query.chain}/${address}`) ?? 0n
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
      if (harness.treasuryRefuses) api.refuse(harness.treasuryRefuses)
      harness.reservations.push({ key: body.key, round: body.round })
      const address = wanted(harness.custodial.get(body.agentId), 'wallet')
      return { reservationId: randomUUID(), status: harness.reservation, agentId: body.agentId, address, amount: body.amount, chain: body.chain }
    },
  })
  const networks = knownNetworks(contracts).map(network => ({
    ...network,
    formerContracts: { escrow: [formerEscrow], ...(hasFormerBond ? withFormerBond : {}) },
  }))
  /** Of the views only the account of a Bond. */
  const viewed = (fn: string, args: readonly unknown[], at: string | undefined) => {
    if (fn !== 'getAccount') api.refuse('NOT_FOUND', { resource: 'contract' })
    return [{ free: String(harness.stakes.get(`${at}/${args[0]}`) ?? 0n), locked: '0' }]
  }
  const relayer = stubPeer(api.chainRelayerApi, {
    chainBalance: ({ params }) => ({
      usdc: String(harness.balances.get(`${params.chain}/${toChecksum(params.wallet)}`) ?? 0n),
      native: '0',
      blockNumber: 1,
    }),
    chainAllowance: ({ params }) => ({ usdc: String(harness.allowances.get(`${params.chain}/${toChecksum(params.owner)}`) ?? 0n), blockNumber: 1 }),
    chainNetworks: () => ({ networks }),
    chainRead: ({ body: { fn, args, at } }) => ({ result: viewed(fn, args, at), blockNumber: harness.blockNumber }),
    chainReads: ({ body: { fn, calls, at } }) => ({ results: calls.map(args => viewed(fn, args, at)), blockNumber: harness.blockNumber }),
    chainOutcomes: ({ body }) => harness.memory.answer(body.operations),
    chainTx: ({ params }) => {
      const { from, logs, final, blockHash = newHash() } = wanted(harness.transactions.get(params.hash), 'transaction')
      const rest = { to: null, value: '0', input: '0x', success: true, blockNumber: 7, blockHash, blockTime: 1, confirmations: 3 }
      return { hash: params.hash, from, logs, final, ...rest }
    },
    chainStatus: ({ params }) => laneStatus(params.chain, lane),
  })

  const platform = await startPlatform([identity, reputation, marketplace, swarm, commerce, treasury, relayer, escrow], options)
  harness.platform = platform
  const drafts = { confirm: commandConfirmed, fail: commandFailed, reorg: commandReorged }
  harness.outcome = async (command, outcome, code, seq) => {
    const draft = drafts[outcome](command, { seq, code })
    if (outcome !== 'reorg') harness.memory.note(draft)
    await platform.publish(draft)
  }
  const consumer = await receiveCommands(platform.bus, async command => {
    harness.commands.push(command)
    harness.memory.received(command)
    const outcome = harness.chain(command)
    if (outcome === 'lost') harness.memory.note(commandConfirmed(command))
    else if (outcome !== 'wait') await harness.outcome(command, outcome)
  })
  harness.close = async () => {
    await consumer.close()
    await platform.close()
  }
  return harness
}

/** An agent that the escrow knows. */
export async function newAgent({ platform, agents }: Harness): Promise<TestAgent> {
  const { agent, registered, row } = newTestAgent()
  agents.set(agent.id, row)
  await platform.publish(registered)
  return agent
}

export const usdc = (whole: number): bigint => BigInt(Math.round(whole * 1e6))
export const oracle = { 'x-admin-wallet': newWallet() }
export { until }
