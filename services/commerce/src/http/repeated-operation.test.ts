import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { jobIdTopic, toChecksum } from '@carapace/chain'
import {
  type Answer,
  commandConfirmed,
  commandFailed,
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

const contracts = { commerce: newWallet(), jobEvaluator: newWallet() }
const oracle = { 'x-admin-wallet': toChecksum(`0x${'0a'.repeat(20)}`) }

/** The process died after the effect and before its answer was stored: the client repeats the request under its key. */
describe('a request about a job whose answer was lost', () => {
  let platform: TestPlatform
  const agents = new Map<string, api.AgentRow>()
  const commands: api.ChainCommand[] = []
  let fails: string | undefined
  let numbers = 0n

  before(async () => {
    platform = await startPlatform([
      stubPeer(api.identityApi, { getAgentRow: ({ params }) => agents.get(params.id) ?? api.refuse('NOT_FOUND', { resource: 'agent' }) }),
      stubPeer(api.reputationApi, { getScoreRow: () => api.refuse('NOT_FOUND', { resource: 'score' }) }),
      stubPeer(api.treasuryApi, { getWalletRow: () => api.refuse('NOT_FOUND', { resource: 'wallet' }) }),
      stubPeer(api.chainRelayerApi, {
        chainBalance: () => ({ usdc: '100000000', native: '0', blockNumber: 1 }),
        chainAllowance: () => ({ usdc: '100000000', blockNumber: 1 }),
        chainNetworks: () => ({ networks: knownNetworks(contracts) }),
      }),
      commerce,
    ])
    await receiveCommands(platform.bus, async command => {
      commands.push(command)
      const place = { address: contracts.commerce, logIndex: 0, logPosition: 0 }
      const args = { jobId: jobIdTopic(++numbers), poster: newWallet(), budget: '1' }
      const logs = command.kind === 'job.create' ? [{ contract: 'Commerce', event: 'JobCreated', args, ...place }] : []
      await platform.publish(command.kind === fails ? commandFailed(command) : commandConfirmed(command, { logs }))
    })
  })
  after(() => platform.close())
  beforeEach(() => {
    fails = undefined
  })

  const newAgent = async () => {
    const { agent, registered, row } = newTestAgent()
    agents.set(agent.id, row)
    await platform.publish(registered)
    return agent
  }
  const becomes = async (agentId: string, status: 'suspended') => {
    const row = agents.get(agentId)!
    agents.set(agentId, { ...row, status, version: row.version + 1 })
    const wallets = { wallet: row.wallet, formerWallet: null }
    await platform.publish(
      api.agentStatusChanged.of({ agentId, handle: row.handle, status, ...wallets, cause: 'admin', reason: null }),
      row.version + 1,
    )
  }
  const post = (path: string, body: object, headers: Record<string, string>) => platform.call('POST', `/api/erc8183/jobs${path}`, { body, headers })
  const newJob = async (poster: TestAgent) => {
    const { status, body } = await post('', { title: 'Summarise', description: 'Two pages.', budgetUsdc: 20 }, poster.headers)
    assert.equal(status, 201)
    return body.job.id as string
  }
  const submittedJob = async (poster: TestAgent) => {
    const id = await newJob(poster)
    const worker = await newAgent()
    const done = async (path: string, body: object, { headers }: TestAgent) => {
      const answer = await post(`/${id}/${path}`, body, headers)
      assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
    }
    await done('fund', {}, poster)
    await done('apply', { proposal: 'I can' }, worker)
    await done('accept', { agentId: worker.id }, poster)
    await done('submit', { deliverableUrl: 'https://example.org/r' }, worker)
    return id
  }
  /** The answers to the request, to its repeat after the answer was lost, and to the same request under another key; and the commands it sent. */
  const repeated = async (kind: string, id: string, request: (key: Record<string, string>) => Promise<Answer>) => {
    const key = { 'idempotency-key': randomUUID() }
    const first = await request(key)
    await platform.service('commerce').platform.db.connection.collection('idempotency').deleteMany({})
    const [again, other] = [await request(key), await request({ 'idempotency-key': randomUUID() })]
    return { first, again, other, sent: commands.filter(({ opKey }) => opKey === `${kind}:${id}`).length }
  }
  const statusOf = ({ status, body }: Answer) => [status, body.code ?? body.job.status]

  it('accepts its applicant once, and nobody who was suspended since', async () => {
    const [poster, worker, suspended] = [await newAgent(), await newAgent(), await newAgent()]
    const id = await newJob(poster)
    assert.equal((await post(`/${id}/fund`, {}, poster.headers)).status, 200)
    for (const { headers } of [worker, suspended]) assert.equal((await post(`/${id}/apply`, { proposal: 'I can' }, headers)).status, 201)
    const accept = (agentId: string, key = {}) => post(`/${id}/accept`, { agentId }, { ...poster.headers, ...key })
    await becomes(suspended.id, 'suspended')
    assert.deepEqual(statusOf(await accept(suspended.id)), [403, 'ACCOUNT_SUSPENDED'])

    const { first, again, sent } = await repeated('job.assign', id, async key => {
      const answer = await accept(worker.id, key)
      await becomes(worker.id, 'suspended')
      return answer
    })

    assert.deepEqual([statusOf(first), statusOf(again), sent], [[200, 'assigned'], [200, 'assigned'], 1])
  })

  it('cancels it once', async () => {
    const poster = await newAgent()
    const id = await newJob(poster)

    const { first, again, other, sent } = await repeated('job.settle', id, key => post(`/${id}/cancel`, {}, { ...poster.headers, ...key }))

    assert.deepEqual(
      [statusOf(first), statusOf(other)],
      [
        [200, 'cancelled'],
        [409, 'INVALID_STATE'],
      ],
    )
    assert.deepEqual([again.status, again.body.job, again.body.txHash, sent], [200, first.body.job, first.body.txHash, 1])
  })

  it('disputes it once, and settles it once', async () => {
    const poster = await newAgent()
    const id = await submittedJob(poster)

    const disputed = await repeated('job.dispute', id, key => post(`/${id}/dispute`, { reason: 'Late' }, { ...poster.headers, ...key }))
    const settled = await repeated('job.settle', id, key => post(`/${id}/settle`, { outcome: 'settle' }, { ...oracle, ...key }))

    for (const [{ first, again, other, sent }, status] of [
      [disputed, 'disputed'],
      [settled, 'settled'],
    ] as const) {
      assert.deepEqual([statusOf(first), statusOf(other), sent], [[200, status], [409, 'INVALID_STATE'], 1])
      assert.deepEqual(again.body, first.body)
    }
  })

  it('answers again that the chain refused the dispute, which another request may open', async () => {
    const poster = await newAgent()
    const id = await submittedJob(poster)
    fails = 'job.dispute'
    const key = { ...poster.headers, 'idempotency-key': randomUUID() }
    const first = await post(`/${id}/dispute`, { reason: 'Late' }, key)
    await platform.service('commerce').platform.db.connection.collection('idempotency').deleteMany({})
    fails = undefined

    const again = await post(`/${id}/dispute`, { reason: 'Late' }, key)
    const other = await post(`/${id}/dispute`, { reason: 'Late' }, poster.headers)

    assert.deepEqual([first, again, other].map(statusOf), [
      [409, 'CONFLICT'],
      [409, 'CONFLICT'],
      [200, 'disputed'],
    ])
  })
})
