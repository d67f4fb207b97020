import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import {
  commandConfirmed,
  commandFailed,
  commandReorged,
  knownNetworks,
  laneStatus,
  newHash,
  newTestAgent,
  receiveCommands,
  startPlatform,
  stubPeer,
  type TestAgent,
  type TestPlatform,
} from '@carapace/testing'
import { domains } from '../index.ts'

/** The service of domains among peers that answer from plain maps; the chain answers commands as `chain` says. */
export interface Harness {
  platform: TestPlatform
  /** What identity and reputation answer about agents, by id. */
  agents: Map<string, api.AgentRow>
  /** What happens before identity answers about an agent. */
  beforeAgentRow: ((id: string) => Promise<void>) | undefined
  scores: Map<string, number>
  /** USDC (µ) by `<chain>/<address>`; allowances to the registry by owner. */
  balances: Map<string, bigint>
  allowances: Map<string, bigint>
  /** Custodial wallets by agent, and what treasury answers to a reservation; undefined: held. */
  custodial: Map<string, string>
  treasuryRefuses: api.RuleCode | undefined
  reservations: { key: string; amount: string }[]
  /** What treasury answers where an x402 payment is to be set aside, by payment; and those that were to go back. */
  holds: Map<string, 'held' | 'pending' | 'refused'>
  returned: { id: string; reason: string }[]
  /** Owners of tokens as the chain has them; undefined: as the service of domains has them. */
  owners: Map<string, string>
  /** What the registry on Base has sold names for, µ. */
  sold: bigint
  commands: api.ChainCommand[]
  /** How the chain treats a command. Default: confirms it. */
  chain: (command: api.ChainCommand) => 'confirm' | 'fail' | 'wait'
  outcome(command: api.ChainCommand, outcome: 'confirm' | 'fail' | 'reorg', seq?: number): Promise<void>
  /** A Transfer log of the registry, final. */
  sent(fullDomain: string, tokenId: string, from: string, to: string): Promise<void>
  newAgent(options?: { score?: number; usdc?: number; custodial?: number }): Promise<TestAgent>
  close(): Promise<void>
}

/** The lane's address. */
export const intake = toChecksum(`0x${'1a'.repeat(20)}`)

export const usdc = (whole: number): bigint => BigInt(whole) * api.MICRO

/** One harness for the tests of a suite. Before each the chain confirms, the treasury agrees, and nothing is recorded. */
export function sharedHarness(): Harness {
  const harness = {} as Harness
  before(() => startHarness(harness))
  beforeEach(() => {
    harness.chain = () => 'confirm'
    harness.treasuryRefuses = undefined
    harness.beforeAgentRow = undefined
    for (const recorded of [harness.commands, harness.reservations, harness.returned]) recorded.length = 0
  })
  after(() => harness.close())
  return harness
}

async function startHarness(harness: Harness): Promise<void> {
  Object.assign(harness, {
    agents: new Map(),
    beforeAgentRow: undefined,
    scores: new Map(),
    balances: new Map(),
    allowances: new Map(),
    custodial: new Map(),
    treasuryRefuses: undefined,
    reservations: [],
    holds: new Map(),
    returned: [],
    owners: new Map(),
    sold: 0n,
    commands: [],
    chain: () => 'confirm',
  })
  harness.platform = await startPlatform([...peersOf(harness), domains])
  const { platform } = harness
  const drafts = { confirm: commandConfirmed, fail: commandFailed, reorg: commandReorged }
  harness.outcome = (command, outcome, seq) => platform.publish(drafts[outcome](command, seq === undefined ? {} : { seq }))
  const consumer = await receiveCommands(platform.bus, async command => {
    harness.commands.push(command)
    const outcome = harness.chain(command)
    if (outcome !== 'wait') await harness.outcome(command, outcome)
  })
  harness.sent = async (fullDomain, tokenId, from, to) => {
    harness.owners.set(tokenId, to)
    const place = { logId: `BASE_SEPOLIA:${newHash()}:0`, network: 'BASE_SEPOLIA' as const, contract: 'DomainRegistry', event: 'Transfer' }
    const log = { ...place, args: { from, to, tokenId }, address: from, logIndex: 0, logPosition: 0, txHash: newHash(), blockHash: newHash() }
    await platform.publish(api.chainEvent('DomainRegistry', 'Transfer').of({ ...log, blockNumber: fullDomain.length, blockTime: 1, final: true }))
  }
  harness.newAgent = async ({ score = 15, usdc: held = 0, custodial } = {}) => {
    const { agent, registered, row } = newTestAgent()
    harness.agents.set(agent.id, row)
    harness.scores.set(agent.id, score)
    harness.balances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(held))
    harness.allowances.set(agent.wallet, usdc(held))
    if (custodial !== undefined) {
      const address = toChecksum(`0x${randomUUID().replaceAll('-', '')}${'00'.repeat(4)}`)
      harness.custodial.set(agent.id, address)
      harness.balances.set(`BASE_SEPOLIA/${address}`, usdc(custodial))
    }
    await platform.publish(registered)
    return agent
  }
  harness.close = async () => {
    await consumer.close()
    await platform.close()
  }
}

const scoreRow = {
  tier: 'Hatchling' as const,
  riskScore: 0,
  riskLevel: 'low' as const,
  components: { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 },
  badges: [] as string[],
  totalGigsCompleted: 0,
  totalEarned: '0',
  gigCompletionRate: 0,
  formulaVersion: '1',
  computedAt: new Date(0).toISOString(),
  version: 1,
}

function peersOf(harness: Harness) {
  const wanted = <T>(found: T | undefined, resource: string): T => found ?? api.refuse('NOT_FOUND', { resource })
  const identity = stubPeer(api.identityApi, {
    getAgentRow: async ({ params }) => {
      await harness.beforeAgentRow?.(params.id)
      return wanted(harness.agents.get(params.id), 'agent')
    },
  })
  const reputation = stubPeer(api.reputationApi, {
    getScoreRow: ({ params }) => ({ ...scoreRow, agentId: params.agentId, fusedScore: harness.scores.get(params.agentId) ?? 15 }),
  })
  const treasury = stubPeer(api.treasuryApi, {
    getWalletRow: ({ params }) => {
      const address = wanted(harness.custodial.get(params.agentId), 'wallet')
      return { walletId: params.agentId, agentId: params.agentId, address, chain: 'BASE_SEPOLIA' as const, version: 1 }
    },
    getSpendable: () => api.refuse('DEPENDENCY_UNAVAILABLE'),
    reserveFunds: ({ body }) => {
      if (harness.treasuryRefuses) api.refuse(harness.treasuryRefuses)
      harness.reservations.push({ key: body.key, amount: body.amount })
      const address = wanted(harness.custodial.get(body.agentId), 'wallet')
      return { reservationId: randomUUID(), status: 'held', agentId: body.agentId, address, amount: body.amount, chain: body.chain }
    },
    holdX402: ({ params }) => ({ status: harness.holds.get(params.id) ?? 'held', payTo: intake }),
    returnX402: ({ params, body }) => {
      harness.returned.push({ id: params.id, reason: body.reason })
      return { state: 'returning' }
    },
  })
  const networks = knownNetworks({})
  const relayer = stubPeer(api.chainRelayerApi, {
    chainBalance: ({ params }) => {
      const held = harness.balances.get(`${params.chain}/${toChecksum(params.wallet)}`) ?? 0n
      return { usdc: String(held), native: '0', blockNumber: 1 }
    },
    chainAllowance: ({ params }) => ({ usdc: String(harness.allowances.get(toChecksum(params.owner)) ?? 0n), blockNumber: 1 }),
    chainOwnerOf: ({ params }) => ({ owner: harness.owners.get(params.tokenId) ?? null, blockNumber: 1 }),
    chainRead: ({ params }) => ({ result: [String(params.chain === 'BASE_SEPOLIA' ? harness.sold : 0n)], blockNumber: 1 }),
    chainNetworks: () => ({ networks }),
    chainStatus: ({ params }) => laneStatus(params.chain, intake),
  })
  return [identity, reputation, treasury, relayer]
}
