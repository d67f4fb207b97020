import assert from 'node:assert/strict'
import * as api from '@carapace/api'
import { jobIdTopic, toChecksum } from '@carapace/chain'
import {
  type Answer,
  commandConfirmed,
  commandFailed,
  commandReorged,
  knownNetworks,
  newTestAgent,
  newWallet,
  receiveCommands,
  startPlatform,
  stubPeer,
  type TestAgent,
  type TestPlatform,
} from '@carapace/testing'
import { commerce } from '../index.ts'

export const oracle = { 'x-admin-wallet': toChecksum(`0x${'0a'.repeat(20)}`) }

/** A job with its parties; the worker has applied as soon as there is one. */
export interface TestJob {
  id: string
  poster: TestAgent
  worker: TestAgent
}

/** The service of commerce among peers that answer from plain maps; the chain confirms every command but those of the kind in `fails`. */
export interface Harness {
  platform: TestPlatform
  /** What identity and reputation answer about agents, by id. */
  agents: Map<string, api.AgentRow>
  scores: Map<string, { fusedScore: number; riskScore: number }>
  /** What the swarm answers about a job: newest first. */
  validations: Map<string, api.ValidationRow[]>
  commands: api.ChainCommand[]
  fails: api.ChainCommand['kind'] | undefined
  newAgent(options?: { score?: number; risk?: number }): Promise<TestAgent>
  post(path: string, body: object, headers: Record<string, string>): Promise<Answer>
  read(id: string): Promise<api.Job>
  /** Outcomes of one command count on over its rounds. */
  nextSeq(opKey: string): number
  /** A new job that has come as far as `status`. */
  jobIn(status: 'open' | 'funded' | 'assigned' | 'submitted'): Promise<TestJob>
  /** The block of the last command of this kind is dropped, and the command fails when it is sent again. */
  loses(kind: api.ChainCommand['kind'], jobId: string): Promise<void>
}

export const contracts = { commerce: newWallet(), jobEvaluator: newWallet() }

/** One harness for the tests of a suite; before each the chain confirms. */
export function sharedHarness(): Harness {
  const harness = {} as Harness
  const consumers: { close(): Promise<void> }[] = []
  before(async () => {
    Object.assign(harness, { agents: new Map(), scores: new Map(), validations: new Map(), commands: [] })
    harness.platform = await startPlatform([...peersOf(harness), commerce])
    Object.assign(harness, requestsOf(harness))
    consumers.push(await chainOf(harness))
  })
  beforeEach(() => {
    harness.fails = undefined
  })
  after(async () => {
    for (const consumer of consumers) await consumer.close()
    await harness.platform.close()
  })
  return harness
}

const scoreRow = {
  ...{ tier: 'Hatchling' as const, badges: [], totalGigsCompleted: 0, totalEarned: '0', gigCompletionRate: 0, formulaVersion: '1' },
  components: { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 },
  computedAt: new Date(0).toISOString(),
}

const noAddress = `0x${'0'.repeat(40)}`
/** What the contract shows of a job before its money is in. */
const unpaid: Record<string, unknown> = {
  jobByKey: {
    ...{ client: newWallet(), provider: noAddress, evaluator: contracts.jobEvaluator, description: 'Two pages.' },
    ...{ budget: '20000000', expiredAt: '2000000000', status: 0 },
  },
  depositOf: { payer: noAddress, amount: '0' },
}

const peersOf = ({ agents, scores, validations }: Harness) => [
  stubPeer(api.identityApi, { getAgentRow: ({ params }) => agents.get(params.id) ?? api.refuse('NOT_FOUND', { resource: 'agent' }) }),
  stubPeer(api.reputationApi, {
    getScoreRow: ({ params: { agentId } }) => {
      const score = scores.get(agentId) ?? api.refuse('NOT_FOUND', { resource: 'score' })
      return { ...scoreRow, ...score, agentId, riskLevel: api.riskLevelOf(score.riskScore), version: 1 }
    },
  }),
  stubPeer(api.treasuryApi, { getWalletRow: () => api.refuse('NOT_FOUND', { resource: 'wallet' }) }),
  stubPeer(api.swarmApi, { listJobValidations: ({ params }) => ({ validations: validations.get(params.jobId) ?? [] }) }),
  stubPeer(api.chainRelayerApi, {
    chainBalance: () => ({ usdc: '100000000', native: '0', blockNumber: 1 }),
    chainAllowance: () => ({ usdc: '100000000', blockNumber: 1 }),
    chainNetworks: () => ({ networks: knownNetworks(contracts) }),
    chainRead: ({ body }) => ({ result: [unpaid[body.fn] ?? false], blockNumber: 1 }),
  }),
]

function chainOf(harness: Harness) {
  const numbers = new Map<api.Chain, bigint>()
  return receiveCommands(harness.platform.bus, async command => {
    harness.commands.push(command)
    const place = { address: contracts.commerce, logIndex: 0, logPosition: 0 }
    const number = (numbers.get(command.network) ?? 0n) + 1n
    if (command.kind === 'job.create') numbers.set(command.network, number)
    const args = { jobId: jobIdTopic(number), poster: newWallet(), budget: '1' }
    const logs = command.kind === 'job.create' ? [{ contract: 'Commerce', event: 'JobCreated', args, ...place }] : []
    const seq = harness.nextSeq(command.opKey)
    await harness.platform.publish(command.kind === harness.fails ? commandFailed(command, { seq }) : commandConfirmed(command, { seq, logs }))
  })
}

function requestsOf(harness: Harness): Partial<Harness> {
  const { platform, agents, scores, commands } = harness
  const seqs = new Map<string, number>()
  const nextSeq = (opKey: string): number => {
    const seq = (seqs.get(opKey) ?? 0) + 1
    seqs.set(opKey, seq)
    return seq
  }
  const post: Harness['post'] = (path, body, headers) => platform.call('POST', `/api/erc8183/jobs${path}`, { body, headers })
  const done = async (path: string, body: object, { headers }: TestAgent) => {
    const answer = await post(path, body, headers)
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const newAgent: Harness['newAgent'] = async ({ score, risk = 0 } = {}) => {
    const { agent, registered, row } = newTestAgent()
    agents.set(agent.id, row)
    await platform.publish(registered)
    if (score !== undefined) scores.set(agent.id, { fusedScore: score, riskScore: risk })
    return agent
  }
  return {
    post,
    newAgent,
    nextSeq,
    read: async id => (await platform.call('GET', `/api/erc8183/jobs/${id}`)).body,
    jobIn: async status => {
      const [poster, worker] = [await newAgent(), await newAgent()]
      const { id } = (await done('', { title: 'Summarise', description: 'Two pages.', budgetUsdc: 20 }, poster)).job
      const steps = [
        () => done(`/${id}/fund`, {}, poster),
        () => done(`/${id}/accept`, { agentId: worker.id }, poster),
        () => done(`/${id}/submit`, { deliverableUrl: 'https://example.org/r' }, worker),
      ]
      await done(`/${id}/apply`, { proposal: 'I can' }, worker)
      for (const step of steps.slice(0, ['open', 'funded', 'assigned', 'submitted'].indexOf(status))) await step()
      return { id, poster, worker }
    },
    loses: async (kind, jobId) => {
      const command = commands.findLast(({ opKey }) => opKey === `${kind}:${jobId}`)!
      await platform.publish(commandReorged(command, { seq: nextSeq(command.opKey) }))
      await platform.publish(commandFailed(command, { seq: nextSeq(command.opKey) }))
    },
  }
}
