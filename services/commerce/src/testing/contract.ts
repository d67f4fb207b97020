import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { jobIdTopic, onChainKey } from '@carapace/chain'
import {
  commandConfirmed,
  knownNetworks,
  newHash,
  newTestAgent,
  newWallet,
  receiveCommands,
  startPlatform,
  stubPeer,
  type TestAgent,
  type TestPlatform,
  until,
} from '@carapace/testing'
import { commerce } from '../index.ts'

const network = 'BASE_SEPOLIA' as const
const contracts = { commerce: newWallet(), jobEvaluator: newWallet() }
const noAddress = `0x${'0'.repeat(40)}`
const nothingPaid = { payer: noAddress, amount: '0' }

/** A job as the stub of the contract has it. */
export interface Shown {
  client: string
  provider: string
  evaluator: string
  description: string
  budget: string
  expiredAt: string
  status: number
  deposit: { payer: string; amount: string }
}

/** What the contract has once the budget is paid in. */
export const paid = (payer: string) => ({ payer, amount: '20000000' })

/** A contract of jobs that a test moves by itself. */
function stubContract() {
  const shown = new Map<string, Shown>()
  const numbers = new Map<string, bigint>()
  let count = 0n
  const views = {
    jobByKey: ({ deposit: _, ...job }: Shown) => job,
    depositOf: ({ deposit }: Shown) => deposit,
    isDisputed: () => false,
  }
  const put = (key: string, number: bigint, more: Partial<Shown>) => {
    numbers.set(key, number)
    const terms = { description: 'Label pictures', budget: '20000000', expiredAt: '2000000000', status: 0, deposit: nothingPaid }
    shown.set(key, { client: newWallet(), provider: noAddress, evaluator: contracts.jobEvaluator, ...terms, ...shown.get(key), ...more })
  }
  return {
    put,
    nextNumber: () => ++count,
    /** A reorganisation removes the job. */
    remove: (key: string) => numbers.delete(key) && shown.delete(key),
    /** A job that a client makes by itself. */
    direct: (more: Partial<Shown>) => {
      const number = ++count
      const key = jobIdTopic(number)
      put(key, number, more)
      return { number, key, become: (changes: Partial<Shown>) => put(key, number, changes) }
    },
    view: (fn: string, key: string) => {
      if (fn === 'jobOf') return String(numbers.get(key) ?? 0n)
      return views[fn as keyof typeof views](shown.get(key) ?? api.refuseField('args', 'refused by the contract: InvalidJob'))
    },
  }
}

type StubContract = ReturnType<typeof stubContract>

/** Peers of commerce; the custodial wallet covers every funding while treasury is there. */
const peersOf = ({ view }: StubContract, agents: ReadonlyMap<string, api.AgentRow>, custodial: string, isThere: () => boolean) => [
  stubPeer(api.identityApi, { getAgentRow: ({ params }) => agents.get(params.id) ?? api.refuse('NOT_FOUND', { resource: 'agent' }) }),
  stubPeer(api.reputationApi, { getScoreRow: () => api.refuse('NOT_FOUND', { resource: 'score' }) }),
  stubPeer(api.treasuryApi, {
    getWalletRow: ({ params }) => ({ walletId: params.agentId, agentId: params.agentId, address: custodial, chain: network, version: 1 }),
    reserveFunds: ({ body: { agentId, amount, chain } }) =>
      isThere() ? { reservationId: randomUUID(), status: 'held', agentId, address: custodial, amount, chain } : api.refuse('DEPENDENCY_UNAVAILABLE'),
  }),
  stubPeer(api.chainRelayerApi, {
    chainBalance: ({ params }) => ({ usdc: params.wallet === custodial.toLowerCase() ? '100000000' : '0', native: '0', blockNumber: 1 }),
    chainAllowance: () => ({ usdc: '0', blockNumber: 1 }),
    chainNetworks: () => ({ networks: knownNetworks(contracts) }),
    chainRead: ({ body: { fn, args } }) => ({ result: [view(fn, String(args[0]))], blockNumber: 1 }),
  }),
]

/** The logs of the contract, as the relayer publishes them. */
const logsOf = (platform: () => TestPlatform) => {
  const logOf = (event: string, number: bigint, txHash: string, args: Record<string, string> = {}) => {
    const place = { address: contracts.commerce, logIndex: 0, logPosition: 0, txHash, blockNumber: 5, blockHash: newHash(), blockTime: 1 }
    return { logId: `${network}:${newHash()}:0`, network, contract: 'Commerce', event, args: { jobId: jobIdTopic(number), ...args }, ...place }
  }
  return {
    /** The final log of a transaction. */
    announce: (event: string, number: bigint, txHash: string, args: Record<string, string> = {}) =>
      platform().publish(api.chainEvent('Commerce', event).of({ ...logOf(event, number, txHash, args), final: true })),
    /** A reorganisation has removed it. */
    withdraw: (event: string, number: bigint, txHash: string) => platform().publish(api.chainEventRemoved.of(logOf(event, number, txHash))),
  }
}

/** What a client of the platform does. */
function requestsOf(
  platform: () => TestPlatform,
  contract: StubContract,
  { commands, agents }: { commands: readonly api.ChainCommand[]; agents: Map<string, api.AgentRow> },
) {
  const read = async (job: bigint | string) => (await platform().call('GET', `/api/erc8183/jobs/${job}?chain=${network}`)).body
  const post = (path: string, body: object, agent: TestAgent) =>
    platform().call('POST', `/api/erc8183/jobs${path}`, { body, headers: { ...agent.headers, prefer: 'respond-async' } })
  return {
    read,
    post,
    is: (job: bigint | string, status: string) =>
      until(`job ${job} is ${status}`, async () => {
        const body = await read(job)
        return body.status === status && body
      }),
    newAgent: async (registers = true) => {
      const { agent, registered, row } = newTestAgent()
      const register = () => {
        agents.set(agent.id, row)
        return platform().publish(registered)
      }
      if (registers) await register()
      return { ...agent, register }
    },
    /** A job of the API whose funding by the custodial wallet is requested. */
    fundedByTreasury: async (poster: TestAgent) => {
      const body = { title: 'Summarise', description: 'Two pages.', budgetUsdc: 20 }
      const { id } = (await platform().call('POST', '/api/erc8183/jobs', { body, headers: poster.headers })).body.job
      assert.equal((await post(`/${id}/fund`, {}, poster)).status, 202)
      const number = BigInt((await read(id)).onChainJobId)
      const become = (changes: Partial<Shown>) => contract.put(onChainKey(id), number, changes)
      const command = (kind: api.ChainCommand['kind'] = 'job.fund') => commands.findLast(({ opKey }) => opKey === `${kind}:${id}`)
      return { id: id as string, number, become, command }
    },
  }
}

/** The service of commerce next to a contract that others use, too: one for the tests of a suite. */
export function contractHarness() {
  let running: TestPlatform
  const platform = () => running
  const contract = stubContract()
  const commands: api.ChainCommand[] = []
  const agents = new Map<string, api.AgentRow>()
  const published: api.CloudEvent[] = []
  const custodial = newWallet()
  const harness = {
    ...{ platform, commands, published, custodial, treasury: 'holds' as 'away' | 'holds' },
    ...contract,
    ...logsOf(platform),
    ...requestsOf(platform, contract, { commands, agents }),
  }
  const created = (command: api.ChainCommand) => {
    const number = contract.nextNumber()
    contract.put(onChainKey(command.opKey.split(':')[1]!), number, { client: String(command.args.client) })
    const args = { jobId: jobIdTopic(number), poster: newWallet(), budget: '1' }
    const logs = [{ contract: 'Commerce', event: 'JobCreated', args, address: contracts.commerce, logIndex: 0, logPosition: 0 }]
    return running.publish(commandConfirmed(command, { logs }))
  }
  before(async () => {
    running = await startPlatform([...peersOf(contract, agents, custodial, () => harness.treasury === 'holds'), commerce])
    await receiveCommands(running.bus, async command => {
      commands.push(command)
      if (command.kind === 'job.create') await created(command)
    })
    await running.bus.subscribe({ name: `test.${randomUUID()}`, exchange: 'events', bindings: ['commerce.job.#'] }, async event => {
      published.push(event)
    })
  })
  after(() => running.close())
  beforeEach(() => {
    harness.treasury = 'holds'
  })
  return harness
}
