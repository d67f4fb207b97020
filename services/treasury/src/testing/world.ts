import { randomBytes, randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { networks, paymentNonce, toChecksum } from '@carapace/chain'
import { defineService, type HandlersOf } from '@carapace/service'
import { startPlatform, type TestPlatform, type TestPlatformOptions, until } from '@carapace/testing'
import { treasury } from '../index.ts'

type Chain = api.Chain
type Treatment = 'confirm' | 'fail' | 'wait'

/** The treasury among neighbours that answer by plain maps, with a token whose balances the commands move. */
export interface World {
  platform: TestPlatform
  /** USDC (µ) on chain by `<chain>/<address>`. */
  balances: Map<string, bigint>
  /** Decoded logs by transaction. */
  transactions: Map<string, api.ChainLog[]>
  escrows: Map<string, Pick<api.EscrowRow, 'status' | 'amount' | 'chain'>>
  gigs: Set<string>
  /** What identity answers about agents. */
  agents: Map<string, api.AgentRow>
  commands: api.ChainCommand[]
  /** How the chain treats a command. Default: confirms it at once. */
  chain: (command: api.ChainCommand) => Treatment
  devnet: boolean
  outcome(command: OutcomeOf, outcome: 'confirm' | 'fail', options?: { seq?: number; terminal?: boolean; code?: string }): Promise<string>
  close(): Promise<void>
}
type OutcomeOf = Pick<api.ChainCommand, 'opKey' | 'round' | 'kind' | 'network'> & { args?: Record<string, unknown> }

export const newWallet = () => toChecksum(`0x${randomBytes(20).toString('hex')}`)
export const newHash = () => `0x${randomBytes(32).toString('hex')}`
export const contracts = { escrow: newWallet(), commerce: newWallet(), bond: newWallet() }
export const lane = newWallet()
export const usdc = (whole: number): bigint => BigInt(Math.round(whole * 1e6))

function neighbour<Name extends api.ServiceName, I extends Record<string, api.AnyEndpoint>>(
  name: Name,
  internal: I,
  handlers: HandlersOf<api.ServiceApi<Record<never, never>, I>>,
) {
  return defineService({ api: api.serviceApi(name, { endpoints: {}, internal }), stores: () => ({}), http: () => handlers as never })
}
const wanted = <T>(found: T | undefined, resource: string): T => found ?? api.refuse('NOT_FOUND', { resource })

export async function startWorld(options: TestPlatformOptions = {}): Promise<World> {
  const world = {
    balances: new Map(),
    transactions: new Map(),
    escrows: new Map(),
    gigs: new Set(),
    agents: new Map(),
    commands: [],
    chain: () => 'confirm',
    devnet: true,
  } as unknown as World
  const custody = new Map<string, string>()
  const { chainBalance, chainNetworks, chainTx, chainStatus, custodyWallet } = api.chainRelayerApi.internal
  const others = ['identityRegistry', 'reputationRegistry', 'validationRegistry', 'card', 'swarmValidator', 'domains', 'reputationAdapter']
  const addresses = {
    usdc: networks.BASE_SEPOLIA.canonical.USDC,
    ...Object.fromEntries(others.map(name => [name, newWallet()])),
    ...contracts,
    timelock: null,
  }
  const relayer = neighbour(
    'chain-relayer',
    { chainBalance, chainNetworks, chainTx, chainStatus, custodyWallet },
    {
      custodyWallet: ({ body }) => {
        const known = custody.get(body.owner)
        const address = known ?? newWallet()
        custody.set(body.owner, address)
        return { address, created: known === undefined }
      },
      chainBalance: ({ params }) => ({ usdc: String(balanceOf(world, params.chain, params.wallet)), native: '0', blockNumber: 1 }),
      chainNetworks: () => ({
        networks: api.chains.map(chain => ({
          chain,
          chainId: networks[chain].chainId,
          rpcUrl: 'http://127.0.0.1:1',
          explorerUrl: null,
          gasless: false,
          contracts: addresses as never,
          devnet: world.devnet,
          finalityBlocks: 1,
        })),
      }),
      chainTx: ({ params }) => {
        const logs = wanted(world.transactions.get(params.hash), 'transaction')
        const rest = { from: lane, to: null, value: '0', input: '0x', success: true, blockNumber: 7, blockHash: newHash(), blockTime: 1 }
        return { hash: params.hash, logs, confirmations: 3, final: true, ...rest }
      },
      chainStatus: ({ params }) => ({
        chain: params.chain,
        chainId: 1,
        head: 1,
        headHash: newHash(),
        headTime: 1,
        leading: true,
        lane: { address: lane, queued: 0, inflight: 0, nonceGap: 0 },
        contracts: {},
      }),
    },
  )
  const { getAgentRow } = api.identityApi.internal
  const identity = neighbour('identity', { getAgentRow }, { getAgentRow: ({ params }) => wanted(world.agents.get(params.id), 'agent') })
  const { getScoreRow } = api.reputationApi.internal
  const reputation = neighbour('reputation', { getScoreRow }, { getScoreRow: () => api.refuse('NOT_FOUND', { resource: 'score' }) })
  const { getGigRow } = api.marketplaceApi.internal
  const marketplace = neighbour(
    'marketplace',
    { getGigRow },
    { getGigRow: ({ params }) => (world.gigs.has(params.id) ? gigRow(params.id) : api.refuse('NOT_FOUND', { resource: 'gig' })) },
  )
  const { getEscrowRow } = api.escrowApi.internal
  const escrow = neighbour(
    'escrow',
    { getEscrowRow },
    {
      getEscrowRow: ({ params: { gigId } }) => ({
        escrowId: gigId,
        gigId,
        posterId: gigId,
        assigneeId: null,
        txHash: null,
        releaseTxHash: null,
        version: 1,
        ...wanted(world.escrows.get(gigId), 'escrow'),
      }),
    },
  )

  const platform = await startPlatform([identity, reputation, marketplace, escrow, relayer, treasury], {
    ...options,
    env: { CHECK_ANSWERS: 'false', ...options.env },
  })
  world.platform = platform
  let seq = 0
  world.outcome = async ({ opKey, round, kind, network, args }, outcome, { seq: given, terminal = true, code = 'REVERTED' } = {}) => {
    seq += 1
    const base = { opKey, round, kind, network, aggregateKey: 'test', seq: given ?? seq }
    const txHash = newHash()
    if (outcome === 'fail') {
      const failure = { code: code as 'REVERTED', terminal, message: 'ERC20InsufficientBalance', attempts: 1 }
      await platform.publish(api.chainCommandFailed.of({ ...base, ...failure }))
      return txHash
    }
    const logs = kind === 'treasury.pay' && args ? transferLogs(args as unknown as PayArgs) : []
    world.transactions.set(txHash, logs)
    const block = { txHash, blockNumber: 5, blockHash: newHash(), blockTime: 1 }
    await platform.publish(api.chainCommandConfirmed.of({ ...base, ...block, logs }))
    return txHash
  }
  const consumer = await platform.bus.subscribe(
    { name: `test.relayer.${randomUUID()}`, exchange: 'commands', bindings: ['chain.command.#'] },
    async event => {
      const command = api.chainCommand.parse(event.data)
      world.commands.push(command)
      const treatment = world.chain(command)
      if (treatment === 'wait') return
      if (treatment === 'confirm') await carryOut(world, command)
      else await world.outcome(command, 'fail')
    },
  )
  world.close = async () => {
    await consumer.close()
    await platform.close()
  }
  return world
}

const gigRow = (gigId: string): api.GigRow => ({
  gigId,
  gigTitle: 'A gig',
  status: 'open',
  closeReason: null,
  posterId: gigId,
  assigneeId: null,
  crewId: null,
  memberIds: [],
  applicantIds: [],
  budget: '1',
  bondRequired: '0',
  feeBp: null,
  chain: 'BASE_SEPOLIA',
  skillsRequired: [],
  deadlineHours: 1,
  assignedAt: null,
  deadlineAt: null,
  submissionId: null,
  submittedAt: null,
  deliverableUrl: null,
  deliverableHash: null,
  createdAt: new Date().toISOString(),
  version: 1,
})

interface PayArgs {
  paymentId: string
  from: string
  to: string
  amount: string
}

const log = (contract: string, event: string, args: Record<string, unknown>, logIndex: number): api.ChainLog => ({
  contract,
  event,
  args,
  address: newWallet(),
  logIndex,
})
const transferLogs = ({ paymentId, from, to, amount }: PayArgs) => [
  log('USDC', 'AuthorizationUsed', { authorizer: from, nonce: paymentNonce(paymentId) }, 0),
  log('USDC', 'Transfer', { from, to, value: String(amount) }, 1),
]

/** Does on chain what a payment says, and tells its outcome; the log of the transfer follows when it is final. */
async function carryOut(world: World, command: api.ChainCommand): Promise<void> {
  const { from, to, amount } = command.args as unknown as PayArgs
  move(world, command.network, from, to, BigInt(amount))
  const txHash = await world.outcome(command, 'confirm')
  await tellTransfer(world, { chain: command.network, from, to, amount: BigInt(amount), txHash, logIndex: 1 })
}

export const balanceOf = (world: World, chain: Chain, address: string): bigint => world.balances.get(`${chain}/${toChecksum(address)}`) ?? 0n

export function move(world: World, chain: Chain, from: string, to: string, amount: bigint): void {
  world.balances.set(`${chain}/${toChecksum(from)}`, balanceOf(world, chain, from) - amount)
  world.balances.set(`${chain}/${toChecksum(to)}`, balanceOf(world, chain, to) + amount)
}

export interface Seen {
  chain?: Chain
  from?: string
  to: string
  amount: bigint
  txHash?: string
  logIndex?: number
  logId?: string
  final?: boolean
}

/** A transfer log as the relayer announces it. */
export async function tellTransfer({ platform }: World, seen: Seen): Promise<void> {
  const { chain = 'BASE_SEPOLIA', from = `0x${'0'.repeat(40)}`, to, amount, txHash = newHash(), logIndex = 0, final = true } = seen
  const place = { txHash, blockNumber: 5, blockHash: newHash(), blockTime: 1 }
  const args = { from, to, value: String(amount) }
  const logId = seen.logId ?? `${chain}:${place.blockHash}:${logIndex}`
  const transfer = { logId, network: chain, contract: 'USDC', event: 'Transfer', args, address: newWallet(), logIndex, ...place, final }
  await platform.publish(api.contractEvents['USDC.Transfer']!.of(transfer))
}

/** New money that comes into an address, on chain and told as final. */
export async function deposit(world: World, to: string, amount: bigint, chain: Chain = 'BASE_SEPOLIA'): Promise<void> {
  world.balances.set(`${chain}/${toChecksum(to)}`, balanceOf(world, chain, to) + amount)
  await tellTransfer(world, { chain, to, amount })
}

export interface TestAgent {
  id: string
  wallet: string
  handle: string
  headers: Record<string, string>
}

const unregistered = { requested: true, registered: false, tokenId: null, confirmedAt: null }

/** An agent that the treasury has heard of. */
export async function newAgent({ platform, agents }: World, preferredChain: Chain = 'BASE_SEPOLIA'): Promise<TestAgent> {
  const id = randomUUID()
  const wallet = newWallet()
  const handle = `a-${id.slice(0, 8)}`
  const who = { agentId: id, handle, wallet, description: '', status: 'active' as const, platform: false, skills: [], verifiedSkills: [] }
  const registered = { ...who, walletProven: true, agentType: null, cardTokenId: 1, preferredChain, registeredAt: new Date().toISOString() }
  agents.set(id, {
    ...registered,
    lastSeenAt: registered.registeredAt,
    requireSignature: false,
    version: 1,
    chains: { BASE_SEPOLIA: unregistered, SKALE_TESTNET: unregistered },
  })
  await platform.publish(
    api.agentRegistered.of({
      ...registered,
      chains: [preferredChain],
      avatar: null,
      externalLink: null,
    }),
  )
  return { id, wallet, handle, headers: { 'x-agent-id': id, 'x-wallet-address': wallet } }
}

export type FundedAgent = TestAgent & { address: string }

/** An agent with a custodial wallet that `amount` (µ) has come into. */
export async function fundedAgent(world: World, amount: bigint, preferredChain: Chain = 'BASE_SEPOLIA'): Promise<FundedAgent> {
  const agent = await newAgent(world, preferredChain)
  const fund = await until('the agent is known', async () => {
    const answer = await call(world, agent, 'POST', 'fund')
    return answer.status === 201 && answer
  })
  const address: string = fund.body.depositAddress
  if (amount > 0n) {
    await deposit(world, address, amount, preferredChain)
    await until('the deposit is credited', async () => (await balance(world, agent)).balance === Number(amount))
  }
  return { ...agent, address }
}

export const call = (world: World, { id, headers }: TestAgent, method: string, what: string, body?: unknown, more: Record<string, string> = {}) =>
  world.platform.call(method, `/api/agents/${id}/treasury/${what}`, {
    headers: { ...headers, ...more },
    ...(body === undefined ? {} : { body }),
  })
export const balance = async (world: World, agent: TestAgent) => (await call(world, agent, 'GET', 'balance')).body
export const peers = ({ platform }: World) => platform.service('treasury').platform.peers
export const doctor = async (world: World) => (await peers(world).call('treasury', api.treasuryApi.internal.doctorReport)).checks
