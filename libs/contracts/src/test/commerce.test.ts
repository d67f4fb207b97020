import assert from 'node:assert/strict'
import { id, toBeHex, ZeroAddress } from 'ethers'
import { abiErc8183, abiSpec } from '../commerce-abi.ts'
import { type Chain, type Event, type Handle, people, startChain, walletOf } from '../testing/chain.ts'
import { testTree } from '../testing/tree.ts'
import { authorize, balanceOf, daySeconds, fund, key, usd } from '../testing/usdc.ts'

const { operator, pauser, poster: client, payee: provider, stranger } = people
const evaluator = operator
const createJob = 'createJob(address,address,uint256,string,address)'
const budget = usd(200)
const jobId = 1n
const topic = toBeHex(jobId, 32)
const reason = id('reason')
/** What the platform's calls name its job by. */
const salt = id('salt')
const Status = { Open: 0n, Funded: 1n, Submitted: 2n, Completed: 3n, Rejected: 4n, Expired: 5n }

describe('Commerce', () => {
  let chain: Chain
  let jobs: Handle

  before(async () => {
    chain = await startChain()
    jobs = chain.at('Commerce')
  })
  beforeEach(() => chain.reset())
  after(() => chain?.stop())

  const paused = () => jobs.send(pauser, 'pause')
  const expiry = async () => (await chain.now()) + BigInt(daySeconds)
  const createFor = async (own = salt, by = client, value = budget) =>
    jobs.send(operator, 'createJobFor', by, evaluator, value, await expiry(), 'a job', own)
  const createDirect = async (to: string = provider, judge: string = evaluator, hook: string = ZeroAddress) =>
    jobs.send(client, createJob, to, judge, await expiry(), 'a job', hook)
  const createWithAgent = async (agentId: bigint, hook: string = ZeroAddress) =>
    jobs.send(client, `${createJob.slice(0, -1)},uint256)`, provider, evaluator, await expiry(), 'a job', hook, agentId)
  const prefund = async (amount = budget, of = salt) => {
    await fund(chain, client, amount || 1n, jobs.address)
    return jobs.send(operator, 'prefund', of, amount)
  }
  const assign = (to: string = provider) => jobs.send(operator, 'assign', salt, to)
  const submitFor = () => jobs.send(operator, 'submitFor', salt, id('url'))
  const complete = () => jobs.send(evaluator, 'complete', jobId, reason, '0x')
  const reject = (by: string) => jobs.send(by, 'reject', jobId, reason, '0x')
  const withdrawFor = (by: string = operator) => jobs.send(by, 'withdrawFor', salt, reason)
  const claim = () => jobs.send(stranger, 'claimRefund', jobId)
  const funded = async () => {
    await createFor()
    await prefund()
    return assign()
  }
  const submitted = async () => {
    await funded()
    return submitFor()
  }
  const directFund = async (expected: bigint | null = budget) => {
    await fund(chain, client, budget, jobs.address)
    return expected === null
      ? jobs.send(client, 'fund(uint256,bytes)', jobId, '0x')
      : jobs.send(client, 'fund(uint256,uint256,bytes)', jobId, expected, '0x')
  }
  const setBudget = (by = client, amount = budget) => jobs.send(by, 'setBudget(uint256,uint256,bytes)', jobId, amount, '0x')
  const setBudgetIn = (token: string) => jobs.send(client, 'setBudget(uint256,address,uint256,bytes)', jobId, token, budget, '0x')
  const job = () => jobs.read('getJob', jobId)
  const status = async () => (await job()).status
  const deposited = async () => [await jobs.read('totalDeposits'), await balanceOf(chain, jobs.address)]
  const shown = (events: Event[]) => events.filter(e => e.contract === 'Commerce').map(e => [e.signature, ...e.args])

  testTree(import.meta.url, {
    createJob: {
      'when entries are paused': async () => {
        await paused()
        await createDirect()
      },
      'when a hook is given': () => createDirect(provider, evaluator, stranger),
      'when the evaluator is zero': () => createDirect(provider, ZeroAddress),
      'when the provider is the evaluator': () => createDirect(evaluator, evaluator),
      'when it expires within five minutes': async () =>
        jobs.send(client, createJob, provider, evaluator, (await chain.now()) + 300n, 'a job', ZeroAddress),
      'when a hook is given with an agent id': () => createWithAgent(7n, stranger),
      'it stores the agent id of the provider': async () => {
        const events = await createWithAgent(7n)

        assert.deepEqual([events.length, (await job()).providerAgentId], [2, 7n])
      },
      "it emits the ERC's event and the platform's": async () => {
        const events = await createDirect()
        const { expiredAt } = await job()

        assert.deepEqual(shown(events), [
          ['JobCreated(uint256,address,address,address,uint256,address)', jobId, client, provider, evaluator, expiredAt, ZeroAddress],
          ['JobCreated(bytes32,address,uint256)', topic, client, 0n],
        ])
      },
    },
    createJobFor: {
      'when the caller is not operator': async () => jobs.send(client, 'createJobFor', client, evaluator, 1, await expiry(), '', key()),
      'when entries are paused': async () => {
        await paused()
        await createFor()
      },
      'when the salt was used before': async () => {
        await createFor()
        await createFor()
      },
      'when the client is zero': () => createFor(key(), ZeroAddress),
      'when the budget is zero': () => createFor(key(), client, 0n),
      'it opens a job of the client with its budget': async () => {
        const events = await createFor()
        const { expiredAt } = await job()

        assert.deepEqual(shown(events), [
          ['JobCreated(uint256,address,address,address,uint256,address)', jobId, client, ZeroAddress, evaluator, expiredAt, ZeroAddress],
          ['JobCreated(bytes32,address,uint256)', topic, client, budget],
          ['BudgetSet(uint256,uint256)', jobId, budget],
        ])
        assert.equal(await jobs.read('jobOf', salt), jobId)
      },
      'it counts jobs from 1': async () => {
        await createFor()
        await createFor(key())

        assert.equal(await jobs.read('jobCounter'), 2n)
      },
    },
    setProvider: {
      'when there is no such job': () => jobs.send(client, 'setProvider(uint256,address)', 9, provider),
      'when the caller is not the client': async () => {
        await createDirect(ZeroAddress)
        await jobs.send(stranger, 'setProvider(uint256,address)', jobId, provider)
      },
      'when the provider is zero': async () => {
        await createDirect(ZeroAddress)
        await jobs.send(client, 'setProvider(uint256,address)', jobId, ZeroAddress)
      },
      'when the provider is the evaluator': async () => {
        await createDirect(ZeroAddress)
        await jobs.send(client, 'setProvider(uint256,address)', jobId, evaluator)
      },
      'when there is a provider': async () => {
        await createDirect()
        await jobs.send(client, 'setProvider(uint256,address)', jobId, stranger)
      },
      'when the job is funded': async () => {
        await funded()
        await jobs.send(client, 'setProvider(uint256,address)', jobId, stranger)
      },
      'it names the provider, in all forms': async () => {
        await createDirect(ZeroAddress)
        await createDirect(ZeroAddress)
        await createDirect(ZeroAddress)

        const first = await jobs.send(client, 'setProvider(uint256,address)', 1, provider)
        const second = await jobs.send(client, 'setProvider(uint256,address,bytes)', 2, provider, '0x')
        const third = await jobs.send(client, 'setProvider(uint256,address,uint256)', 3, provider, 7)

        assert.deepEqual(shown([...first, ...second, ...third]), [
          ['ProviderSet(uint256,address)', 1n, provider],
          ['ProviderSet(uint256,address)', 2n, provider],
          ['ProviderSet(uint256,address)', 3n, provider],
        ])
        assert.equal((await jobs.read('getJob', 3)).providerAgentId, 7n)
      },
    },
    setBudget: {
      'when the caller is neither client nor provider': async () => {
        await createDirect()
        await setBudget(stranger)
      },
      'when the budget is paid in': async () => {
        await createFor()
        await prefund()
        await setBudget()
      },
      'when the job is ended': async () => {
        await createDirect()
        await reject(client)
        await setBudget()
      },
      'when another token is named': async () => {
        await createDirect()
        await setBudgetIn(stranger)
      },
      'it accepts the payment token by name': async () => {
        await createDirect()

        assert.deepEqual(shown(await setBudgetIn(chain.addresses.DevUSDC)), [['BudgetSet(uint256,uint256)', jobId, budget]])
      },
      'it lets client and provider set it': async () => {
        await createDirect()

        const events = [...(await setBudget(client, 1n)), ...(await setBudget(provider, budget))]

        assert.deepEqual(shown(events), [
          ['BudgetSet(uint256,uint256)', jobId, 1n],
          ['BudgetSet(uint256,uint256)', jobId, budget],
        ])
      },
    },
    fund: {
      'when entries are paused': async () => {
        await createDirect()
        await setBudget()
        await paused()
        await directFund()
      },
      'when the caller is not the client': async () => {
        await createDirect()
        await jobs.send(stranger, 'fund(uint256,uint256,bytes)', jobId, 0, '0x')
      },
      'when there is no provider': async () => {
        await createDirect(ZeroAddress)
        await setBudget()
        await directFund()
      },
      'when the budget is another': async () => {
        await createDirect()
        await setBudget(client, budget + 1n)
        await directFund()
      },
      'when the budget is zero': async () => {
        await createDirect()
        await directFund(0n)
      },
      'when the job is expired': async () => {
        await createDirect()
        await setBudget()
        await chain.advance(daySeconds)
        await directFund()
      },
      'when it is funded already': async () => {
        await createDirect()
        await setBudget()
        await directFund()
        await directFund()
      },
      'it pays in and emits both histories': async () => {
        await createDirect()
        await setBudget()

        const events = await directFund()

        assert.deepEqual(shown(events), [
          ['JobFunded(bytes32,address)', topic, client],
          ['JobFunded(uint256,address,uint256)', jobId, client, budget],
          ['JobAssigned(bytes32,address)', topic, provider],
        ])
        assert.deepEqual(await deposited(), [budget, budget])
        assert.equal(await status(), Status.Funded)
      },
      'it pays in without an expected budget': async () => {
        await createDirect()
        await setBudget()
        await directFund(null)

        assert.equal(await status(), Status.Funded)
      },
      'it collects nothing more for a job that is paid in': async () => {
        await createFor()
        await prefund()
        await jobs.send(client, 'setProvider(uint256,address)', jobId, provider)

        const events = await directFund()

        assert.deepEqual(shown(events), [
          ['JobFunded(uint256,address,uint256)', jobId, client, budget],
          ['JobAssigned(bytes32,address)', topic, provider],
        ])
        assert.deepEqual(await deposited(), [budget, budget])
      },
    },
    prefund: {
      'when the caller is neither operator nor client': async () => {
        await createFor()
        await jobs.send(stranger, 'prefund', salt, budget)
      },
      'when entries are paused': async () => {
        await createFor()
        await paused()
        await prefund()
      },
      'when there is no such job': () => prefund(),
      'when the amount is not the budget': async () => {
        await createFor()
        await prefund(budget - 1n)
      },
      'when the amount is zero': async () => {
        await createDirect()
        await prefund(0n, topic)
      },
      'when it is paid in already': async () => {
        await createFor()
        await prefund()
        await prefund()
      },
      'when the job is expired': async () => {
        await createFor()
        await chain.advance(daySeconds)
        await prefund()
      },
      "it leaves the job open for the ERC's readers": async () => {
        await createFor()

        const events = await prefund()

        assert.deepEqual(shown(events), [['JobFunded(bytes32,address)', topic, client]])
        assert.equal(await status(), Status.Open)
        assert.deepEqual([...(await jobs.read('depositOf', salt))], [client, budget])
      },
      'when a job with a salt is named by its number': async () => {
        await createFor()
        await prefund(budget, topic)
      },
      'it pays in for a job without a salt by its number': async () => {
        await createDirect()
        await setBudget()
        await prefund(budget, topic)

        assert.deepEqual(await deposited(), [budget, budget])
      },
      'it lets the client pay in itself': async () => {
        await createFor()
        await fund(chain, client, budget, jobs.address)
        await jobs.send(client, 'prefund', salt, budget)

        assert.deepEqual(await deposited(), [budget, budget])
      },
    },
    prefundWithAuthorization: {
      'when the caller is not operator': () => jobs.send(client, 'prefundWithAuthorization', salt, budget, [client, 0, 0, '0x']),
      'when entries are paused': async () => {
        await paused()
        await jobs.send(operator, 'prefundWithAuthorization', salt, budget, [client, 0, 0, '0x'])
      },
      'when the nonce signed is not the job': async () => {
        await createFor()
        const auth = await authorize(chain, walletOf('custodial'), jobs.address, budget, key())
        await jobs.send(operator, 'prefundWithAuthorization', salt, budget, auth)
      },
      'when it is paid in already': async () => {
        await createFor()
        await prefund()
        await jobs.send(operator, 'prefundWithAuthorization', salt, budget, [client, 0, 0, '0x'])
      },
      "it collects the signer's tokens and refunds to the signer": async () => {
        const custodial = walletOf('custodial')
        await createFor()
        await fund(chain, custodial.address, budget)
        const auth = await authorize(chain, custodial, jobs.address, budget, salt)

        await jobs.send(operator, 'prefundWithAuthorization', salt, budget, auth)
        assert.deepEqual(await deposited(), [budget, budget])
        await reject(client)

        assert.equal(await balanceOf(chain, custodial.address), budget)
      },
    },
    assign: {
      'when the caller is not operator': async () => {
        await createFor()
        await prefund()
        await jobs.send(client, 'assign', salt, provider)
      },
      'when nothing is paid in': async () => {
        await createFor()
        await assign()
      },
      'when the provider is zero': async () => {
        await createFor()
        await prefund()
        await assign(ZeroAddress)
      },
      'when the provider is the evaluator': async () => {
        await createFor()
        await prefund()
        await assign(evaluator)
      },
      'when another is provider': async () => {
        await createFor()
        await prefund()
        await jobs.send(client, 'setProvider(uint256,address)', jobId, provider)
        await assign(stranger)
      },
      'when it is assigned already': async () => {
        await funded()
        await assign()
      },
      'when the job is expired': async () => {
        await createFor()
        await prefund()
        await chain.advance(daySeconds)
        await assign()
      },
      "it gives the ERC's readers a legal history in one transaction": async () => {
        const events = await funded()

        assert.deepEqual(shown(events), [
          ['ProviderSet(uint256,address)', jobId, provider],
          ['JobFunded(uint256,address,uint256)', jobId, client, budget],
          ['JobAssigned(bytes32,address)', topic, provider],
        ])
        assert.equal(await status(), Status.Funded)
      },
    },
    submit: {
      'when the caller is not the provider': async () => {
        await funded()
        await jobs.send(client, 'submit', jobId, id('url'), '0x')
      },
      'when the job is not funded': async () => {
        await createDirect()
        await jobs.send(provider, 'submit', jobId, id('url'), '0x')
      },
      'when the job is expired': async () => {
        await funded()
        await chain.advance(daySeconds)
        await jobs.send(provider, 'submit', jobId, id('url'), '0x')
      },
      'it emits both forms': async () => {
        await funded()

        const events = await jobs.send(provider, 'submit', jobId, id('url'), '0x')

        assert.deepEqual(shown(events), [
          ['JobSubmitted(uint256,address,bytes32)', jobId, provider, id('url')],
          ['JobSubmitted(bytes32,bytes32)', topic, id('url')],
        ])
      },
    },
    submitFor: {
      'when the caller is not operator': async () => {
        await funded()
        await jobs.send(provider, 'submitFor', salt, id('url'))
      },
      'when it is submitted already': async () => {
        await submitted()
        await submitFor()
      },
      "it submits in the provider's name": async () => {
        const events = await submitted()

        assert.deepEqual(shown(events)[0], ['JobSubmitted(uint256,address,bytes32)', jobId, provider, id('url')])
        assert.equal(await status(), Status.Submitted)
      },
    },
    complete: {
      'when the caller is not the evaluator': async () => {
        await submitted()
        await jobs.send(client, 'complete', jobId, reason, '0x')
      },
      'when nothing is submitted': async () => {
        await funded()
        await complete()
      },
      'when it is complete already': async () => {
        await submitted()
        await complete()
        await complete()
      },
      'it pays 3 % to the fee pool and the rest to the provider, to the last unit': async () => {
        const odd = 100_000_017n
        const pool = chain.addresses.SwarmValidator
        await createFor(salt, client, odd)
        await prefund(odd)
        await assign()
        await submitFor()

        const events = await complete()

        assert.deepEqual(shown(events), [
          ['JobCompleted(uint256,address,bytes32)', jobId, evaluator, reason],
          ['PlatformFeePaid(uint256,address,uint256)', jobId, pool, 3_000_001n],
          ['PaymentReleased(uint256,address,uint256)', jobId, provider, 97_000_016n],
          ['JobSettled(bytes32,address,uint256)', topic, provider, 97_000_016n],
        ])
        assert.deepEqual([await balanceOf(chain, pool), await balanceOf(chain, provider)], [3_000_001n, 97_000_016n])
        assert.deepEqual(await deposited(), [0n, 0n])
      },
      'it pays while paused, also disputed work': async () => {
        await submitted()
        await jobs.send(client, 'flagDispute', salt, client)
        await paused()
        await complete()

        assert.equal(await status(), Status.Completed)
      },
    },
    reject: {
      'when there is no such job': () => reject(client),
      'when a stranger rejects an open job': async () => {
        await createFor()
        await reject(stranger)
      },
      'when the operator rejects an open job': async () => {
        await jobs.send(operator, 'createJobFor', client, stranger, budget, await expiry(), 'a job', salt)
        await reject(operator)
      },
      'when the client rejects a funded job': async () => {
        await funded()
        await reject(client)
      },
      'when the job is ended': async () => {
        await createFor()
        await reject(client)
        await reject(client)
      },
      'it lets the client cancel an open job': async () => {
        await createFor()

        const events = await reject(client)

        assert.deepEqual(shown(events), [
          ['JobRejected(uint256,address,bytes32)', jobId, client, reason],
          ['JobCancelled(bytes32)', topic],
        ])
        assert.equal(await status(), Status.Rejected)
      },
      'it lets the evaluator reject submitted work and pays back while paused': async () => {
        await submitted()
        await paused()

        const events = await reject(evaluator)

        assert.deepEqual(shown(events), [
          ['JobRejected(uint256,address,bytes32)', jobId, evaluator, reason],
          ['JobRejected(bytes32,address)', topic, evaluator],
          ['Refunded(uint256,address,uint256)', jobId, client, budget],
        ])
        assert.deepEqual(await deposited(), [0n, 0n])
      },
    },
    withdrawFor: {
      'when the caller is not operator': async () => {
        await createFor()
        await withdrawFor(client)
      },
      'when there is no such job': () => withdrawFor(),
      'when the job is funded': async () => {
        await funded()
        await withdrawFor()
      },
      "it ends an open job in the client's name and pays back": async () => {
        await createFor()
        await prefund()

        const events = await withdrawFor()

        assert.deepEqual(shown(events), [
          ['JobRejected(uint256,address,bytes32)', jobId, client, reason],
          ['JobCancelled(bytes32)', topic],
          ['Refunded(uint256,address,uint256)', jobId, client, budget],
        ])
        assert.equal(await balanceOf(chain, client), budget)
      },
    },
    claimRefund: {
      'when the job is not expired': async () => {
        await funded()
        await claim()
      },
      'when the job is ended': async () => {
        await submitted()
        await complete()
        await chain.advance(daySeconds)
        await claim()
      },
      'when the submission is younger than an hour': async () => {
        await funded()
        await chain.advance(daySeconds - 600)
        await submitFor()
        await chain.advance(1_200)
        await claim()
      },
      'it lets anybody end an open job that is paid in': async () => {
        await createFor()
        await prefund()
        await chain.advance(daySeconds)

        const events = await claim()

        assert.deepEqual(shown(events), [
          ['JobExpired(uint256)', jobId],
          ['JobCancelled(bytes32)', topic],
          ['Refunded(uint256,address,uint256)', jobId, client, budget],
        ])
      },
      'it lets anybody end a funded job while paused': async () => {
        await funded()
        await paused()
        await chain.advance(daySeconds)
        await claim()

        assert.deepEqual([await status(), await balanceOf(chain, client)], [Status.Expired, budget])
      },
      'it lets anybody end submitted work an hour after the submission': async () => {
        await submitted()
        await jobs.send(client, 'flagDispute', salt, client)
        await chain.advance(daySeconds)
        await claim()

        assert.equal(await balanceOf(chain, client), budget)
      },
      'it pays nothing for a job without deposit': async () => {
        await createFor()
        await chain.advance(daySeconds)

        const events = await claim()

        assert.deepEqual(
          events.map(e => e.name),
          ['JobExpired', 'JobCancelled'],
        )
      },
    },
    flagDispute: {
      'when the caller speaks for another': async () => {
        await submitted()
        await jobs.send(stranger, 'flagDispute', salt, client)
      },
      'when the disputer is no party': async () => {
        await submitted()
        await jobs.send(stranger, 'flagDispute', salt, stranger)
      },
      'when nothing is submitted': async () => {
        await funded()
        await jobs.send(client, 'flagDispute', salt, client)
      },
      'when it is disputed already': async () => {
        await submitted()
        await jobs.send(client, 'flagDispute', salt, client)
        await jobs.send(provider, 'flagDispute', salt, provider)
      },
      'it accepts a party as the disputer': async () => {
        await submitted()

        const events = await jobs.send(provider, 'flagDispute', salt, provider)

        assert.deepEqual(shown(events), [['JobDisputed(bytes32,address)', topic, provider]])
        assert.equal(await jobs.read('isDisputed', salt), true)
      },
      'it lets the operator open a dispute for a party': async () => {
        await submitted()
        await jobs.send(operator, 'flagDispute', salt, client)

        assert.equal(await status(), Status.Submitted)
      },
      'it lets the operator open a dispute for the evaluator': async () => {
        await submitted()
        await jobs.send(operator, 'flagDispute', salt, evaluator)

        assert.equal(await jobs.read('isDisputed', salt), true)
      },
    },
    jobOf: {
      'it finds a job by its salt, and by its number only where it has none': async () => {
        await createFor()
        await createDirect()

        const found = [salt, topic, toBeHex(2, 32), toBeHex(3, 32)].map(named => jobs.read<bigint>('jobOf', named))
        assert.deepEqual(await Promise.all(found), [1n, 0n, 2n, 0n])
      },
    },
    keyOf: {
      'when there is no such job': () => jobs.read('keyOf', jobId),
      'it is the salt, or the number of a job without one': async () => {
        await createFor()
        await createDirect()

        assert.deepEqual([await jobs.read('keyOf', 1), await jobs.read('keyOf', 2)], [salt, toBeHex(2, 32)])
      },
    },
    jobByKey: {
      'when there is no such job': () => jobs.read('jobByKey', salt),
      'it has what getJob has': async () => {
        await createFor()

        assert.deepEqual([...(await jobs.read('jobByKey', salt))], [...(await job())])
      },
    },
    getJob: {
      'when there is no such job': () => job(),
      "it has the twelve fields in the authors' order": async () => {
        await submitted()
        const found = await job()
        const usdc = chain.addresses.DevUSDC

        assert.deepEqual(
          [...found],
          [jobId, client, provider, evaluator, 'a job', budget, found.expiredAt, Status.Submitted, ZeroAddress, usdc, 0n, found.submittedAt],
        )
      },
    },
  })

  it('shows one log to a reader of either ABI, by bare event names', async () => {
    const spec = chain.handle(jobs.address, abiSpec() as never).interface
    const erc = chain.handle(jobs.address, abiErc8183() as never).interface
    const topics = (face: typeof spec) => ['JobCreated', 'JobFunded', 'JobSubmitted'].map(name => face.getEvent(name)?.topicHash)

    assert.equal(new Set([...topics(spec), ...topics(erc)]).size, 6)
    assert.equal(spec.getFunction('fund')?.selector, '0xd2e13f50')
    assert.equal(erc.getFunction('createJobFor'), null)
  })
})
