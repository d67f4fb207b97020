import assert from 'node:assert/strict'
import { id } from 'ethers'
import { type Chain, type Handle, people, startChain } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'
import { balanceOf, daySeconds, fund, usd } from '../testing/usdc.ts'

const { operator, pauser, poster: client, payee: provider, stranger } = people
const budget = usd(200)
const jobId = 1n
const reason = id('reason')
const salt = id('salt')
const status = { completed: 3n, rejected: 4n }

describe('JobEvaluator', () => {
  let chain: Chain
  let jobs: Handle
  let evaluator: Handle

  before(async () => {
    chain = await startChain()
    jobs = chain.at('Commerce')
    evaluator = chain.at('JobEvaluator')
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  const open = async () =>
    jobs.send(operator, 'createJobFor', client, evaluator.address, budget, (await chain.now()) + BigInt(daySeconds), 'a job', salt)
  const funded = async () => {
    await open()
    await fund(chain, client, budget, jobs.address)
    await jobs.send(operator, 'prefund', salt, budget)
    await jobs.send(operator, 'assign', salt, provider)
  }
  const submitted = async () => {
    await funded()
    await jobs.send(operator, 'submitFor', salt, id('url'))
  }
  const complete = (by = operator) => evaluator.send(by, 'complete', salt, reason)
  const reject = (by = operator) => evaluator.send(by, 'reject', salt, reason)
  const statusNow = async () => (await jobs.read('getJob', jobId)).status

  testTree(import.meta.url, {
    complete: {
      'when the caller is not operator': async () => {
        await submitted()
        await complete(stranger)
      },
      'when nothing is submitted': async () => {
        await funded()
        await complete()
      },
      'it completes a submitted job, also while paused': async () => {
        await submitted()
        await evaluator.send(pauser, 'pause')
        await complete()

        assert.equal(await statusNow(), status.completed)
        assert.equal(await balanceOf(chain, provider), usd(194))
      },
      'it completes the jobs of an earlier lane key': async () => {
        await submitted()
        const admin = chain.addresses.Timelock
        const role = await evaluator.read<string>('OPERATOR_ROLE')
        await evaluator.send(admin, 'grantRole', role, stranger)
        await evaluator.send(admin, 'revokeRole', role, operator)

        await assert.rejects(complete(operator), { reason: 'AccessControlUnauthorizedAccount' })
        await complete(stranger)
        assert.equal(await statusNow(), status.completed)
      },
    },
    reject: {
      'when the caller is not operator': async () => {
        await submitted()
        await reject(stranger)
      },
      'when the job is open': async () => {
        await open()
        await reject()
      },
      'it rejects a funded job and pays back': async () => {
        await funded()
        await reject()

        assert.equal(await statusNow(), status.rejected)
        assert.equal(await balanceOf(chain, client), budget)
      },
      'it rejects submitted work and pays back': async () => {
        await submitted()
        await reject()

        assert.equal(await balanceOf(chain, client), budget)
      },
    },
    commerce: {
      'it names the contract whose jobs it judges': async () => {
        assert.equal(await evaluator.read('commerce'), jobs.address)
      },
    },
  })
})
