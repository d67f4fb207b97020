import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { jobIdTopic } from '@carapace/chain'
import {
  commandConfirmed,
  commandFailed,
  commandMemory,
  doctorChecks,
  knownNetworks,
  newTestAgent,
  newWallet,
  receiveCommands,
  startPlatform,
  stubPeer,
  type TestPlatform,
  until,
} from '@carapace/testing'
import { commerce } from '../index.ts'

const contracts = { commerce: newWallet(), jobEvaluator: newWallet() }
const noAddress = `0x${'0'.repeat(40)}`
/** What the contract shows of each job. */
const terms = { description: 'Two pages.', budget: '20000000', expiredAt: '2000000000', status: 0 }
const unpaid: Record<string, unknown> = {
  jobByKey: { client: newWallet(), provider: noAddress, evaluator: contracts.jobEvaluator, ...terms },
  depositOf: { payer: noAddress, amount: '0' },
  isDisputed: false,
}

describe('the funding of a job', () => {
  let platform: TestPlatform
  const commands: api.ChainCommand[] = []
  const reservations: { key: string; round: number }[] = []
  const custodial = newWallet()
  let treasury: 'away' | 'holds' | 'refuses' = 'holds'
  let fails = false
  let jobs = 0

  before(async () => {
    const nobody = () => api.refuse('NOT_FOUND', { resource: 'agent' })
    const memory = commandMemory()
    const networks = knownNetworks(contracts)
    platform = await startPlatform([
      stubPeer(api.identityApi, { getAgentRow: nobody, getAgentRowByHandle: nobody }),
      stubPeer(api.treasuryApi, {
        getWalletRow: ({ params }) => ({ walletId: params.agentId, agentId: params.agentId, address: custodial, chain: 'BASE_SEPOLIA', version: 1 }),
        getSpendable: () => api.refuse('DEPENDENCY_UNAVAILABLE'),
        reserveFunds: ({ body }) => {
          reservations.push({ key: body.key, round: body.round })
          if (treasury === 'away') api.refuse('DEPENDENCY_UNAVAILABLE')
          if (treasury === 'refuses') api.refuse('DAILY_LIMIT_REACHED')
          const { agentId, amount, chain } = body
          return { reservationId: randomUUID(), status: 'held', agentId, address: custodial, amount, chain }
        },
      }),
      stubPeer(api.chainRelayerApi, {
        chainBalance: ({ params }) => ({ usdc: params.wallet === custodial.toLowerCase() ? '100000000' : '0', native: '0', blockNumber: 1 }),
        chainAllowance: () => ({ usdc: '0', blockNumber: 1 }),
        chainNetworks: () => ({ networks }),
        chainRead: ({ body }) => ({ result: [unpaid[body.fn]], blockNumber: 1 }),
        chainOutcomes: ({ body }) => memory.answer(body.operations),
      }),
      commerce,
    ])
    await receiveCommands(platform.bus, async command => {
      commands.push(command)
      memory.received(command)
      const number = jobIdTopic(BigInt(++jobs))
      const place = { address: contracts.commerce, logIndex: 0, logPosition: 0 }
      const logs = [{ contract: 'Commerce', event: 'JobCreated', args: { jobId: number, poster: newWallet(), budget: '1' }, ...place }]
      const isFailing = fails && command.kind === 'job.fund'
      const outcome = isFailing ? commandFailed(command) : commandConfirmed(command, command.kind === 'job.create' ? { logs } : {})
      memory.note(outcome)
      await platform.publish(outcome)
    })
  })
  after(() => platform.close())
  beforeEach(() => {
    treasury = 'holds'
    fails = false
  })

  const newJob = async () => {
    const { agent, registered } = newTestAgent()
    await platform.publish(registered)
    const { status, body } = await platform.call('POST', '/api/erc8183/jobs', {
      body: { title: 'Summarise', description: 'Two pages.', budgetUsdc: 20 },
      headers: agent.headers,
    })
    assert.equal(status, 201)
    const path = `/api/erc8183/jobs/${body.job.id}`
    const fund = (key: string = randomUUID()) =>
      platform.call('POST', `${path}/fund`, {
        body: {},
        headers: { ...agent.headers, 'idempotency-key': key, prefer: 'respond-async' },
      })
    const is = (wanted: string) => until(`the job is ${wanted}`, async () => (await platform.call('GET', path)).body.status === wanted)
    return { id: body.job.id as string, path, fund, is, sent: () => commands.filter(({ opKey }) => opKey === `job.fund:${body.job.id}`) }
  }
  const reservedFor = (id: string) => reservations.filter(({ key }) => key === `job.fund:${id}`)

  it('is carried on by the service when treasury is away, and charges once', async () => {
    const job = await newJob()
    const { peers } = platform.service('commerce').platform
    const isOpen = async (round: number) =>
      (await peers.call('commerce', api.getReservationUse, { body: { key: `job.fund:${job.id}`, round, agentId: job.id } })).isOpen
    assert.equal(await isOpen(1), false)
    treasury = 'away'
    assert.equal((await job.fund()).status, 202)
    assert.deepEqual([await isOpen(1), await isOpen(2)], [true, false])
    assert.equal((await job.fund()).body.code, 'INVALID_STATE')
    treasury = 'holds'
    await platform.advance(31)
    await job.is('funded')
    assert.deepEqual([job.sent().length, new Set(reservedFor(job.id).map(({ round }) => round))], [1, new Set([1])])
  })

  it('charges once when the same request arrives again, also at the same time', async () => {
    const job = await newJob()
    const key = randomUUID()
    await Promise.all([job.fund(key), job.fund(key), job.fund()])
    await job.is('funded')
    await job.fund(key)
    assert.equal(job.sent().length, 1)
  })

  it('leaves the job open when treasury refuses', async () => {
    const job = await newJob()
    treasury = 'refuses'
    const { status, body } = await job.fund()
    assert.deepEqual([status, body.code], [402, 'FUNDS_REQUIRED'])
    await job.is('open')
    assert.equal(job.sent().length, 0)
  })

  it('is free again after a failure on chain, and a later try is the next round', async () => {
    const job = await newJob()
    fails = true
    await job.fund()
    await until(
      'the funding has failed',
      async () => (await job.sent()).length === 1 && (await platform.call('GET', job.path)).body.fundedFrom === null,
    )
    await job.is('open')
    fails = false
    await until('it is funded', async () => (await job.fund()).status < 300)
    await job.is('funded')
    assert.deepEqual(
      job.sent().map(({ round }) => round),
      [1, 2],
    )
    const checks = await doctorChecks(platform, 'commerce')
    assert.deepEqual(
      checks.filter(({ name, count }) => count > 0 && name !== 'contracts'),
      [],
    )
  })
})
