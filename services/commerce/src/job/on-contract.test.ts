import assert from 'node:assert/strict'
import * as api from '@carapace/api'
import { commandConfirmed, doctorChecks, newHash, newWallet, until } from '@carapace/testing'
import { id as keccakOfText } from 'ethers'
import { contractHarness, paid } from '../testing/contract.ts'

const network = 'BASE_SEPOLIA' as const
/** States as the contract numbers them. */
const status = { funded: 1, submitted: 2, completed: 3, rejected: 4 }
const hour = 3600

describe('what a party does on the contract next to the API', () => {
  const harness = contractHarness()
  const { announce, commands, custodial, direct, fundedByTreasury, is, newAgent, platform, post, published, put, read, remove, withdraw } = harness

  const confirm = async (
    job: { command(kind: api.ChainCommand['kind']): api.ChainCommand | undefined },
    kind: api.ChainCommand['kind'],
    more = {},
  ) => {
    const sent = await until(`${kind} is sent`, () => job.command(kind))
    await platform().publish(commandConfirmed(sent, more))
  }
  const assignedJob = async () => {
    const [poster, worker] = [await newAgent(), await newAgent()]
    const job = await fundedByTreasury(poster)
    job.become({ deposit: paid(custodial) })
    await confirm(job, 'job.fund')
    await is(job.id, 'funded')
    assert.equal((await post(`/${job.id}/apply`, { proposal: 'I can' }, worker)).status, 201)
    await post(`/${job.id}/accept`, { agentId: worker.id }, poster)
    job.become({ status: status.funded, provider: worker.wallet })
    await confirm(job, 'job.assign')
    await is(job.id, 'assigned')
    return { ...job, poster, worker }
  }
  const eventsOf = (id: string) => published.filter(({ subject }) => subject === id).map(({ type }) => type)
  const isHealthy = async () => {
    const wrong = (await doctorChecks(platform(), 'commerce')).filter(({ name, count }) => count > 0 && /ledger|accounts/.test(name))
    assert.deepEqual(wrong, [])
  }
  const cleared = async (id: string) => {
    const { peers } = platform().service('commerce').platform
    const { accounts } = await peers.call('commerce', api.commerceApi.internal.clearingBalances, { query: { chain: network, after: '' } })
    return accounts.filter(({ key, balance }) => key.includes(id) && balance !== '0')
  }

  it('is a withdrawal where its client has ended the job there, and no failure of the one who was accepted meanwhile', async () => {
    const job = await assignedJob()
    const txHash = newHash()

    job.become({ status: status.rejected, deposit: paid(`0x${'0'.repeat(40)}`) })
    await announce('JobRejected', job.number, txHash, { rejector: job.poster.wallet })
    const { assigneeAgentId, closeReason } = await is(job.id, 'cancelled')
    await announce('JobCancelled', job.number, txHash)

    assert.deepEqual([assigneeAgentId, closeReason], [null, 'withdrawn'])
    await until('it is reported', () => eventsOf(job.id).at(-1) === 'commerce.job.cancelled.v1')
    assert.ok(!eventsOf(job.id).includes('commerce.job.rejected.v1'))
    await isHealthy()
  })

  it('misses no deadline where the contract has the delivery, whose log is still to come', async () => {
    const job = await assignedJob()
    const other = await assignedJob()
    job.become({ status: status.submitted })

    await platform().advance(73 * hour + 60)
    await until('the other one has missed it', () => other.command('job.settle'))
    assert.equal(job.command('job.settle'), undefined)
    await announce('JobSubmitted', job.number, newHash(), { deliverableHash: keccakOfText('work') })

    assert.equal((await is(job.id, 'submitted')).deliverableHash, keccakOfText('work'))
  })

  it('ends as expired where a block has the delivery just before the refund of the missed deadline', async () => {
    const job = await assignedJob()
    await platform().advance(73 * hour + 60)
    const sent = await until('its end is sent', () => job.command('job.settle'))

    job.become({ status: status.submitted })
    await announce('JobSubmitted', job.number, newHash(), { deliverableHash: keccakOfText('late') })
    await is(job.id, 'submitted')
    job.become({ status: status.rejected })
    await platform().publish(commandConfirmed(sent))

    assert.equal((await is(job.id, 'cancelled')).closeReason, 'deadline_missed')
    await isHealthy()
  })

  it('is the delivery that counts where the API receives another one afterwards', async () => {
    const job = await assignedJob()
    job.become({ status: status.submitted })
    await post(`/${job.id}/submit`, { deliverableUrl: 'https://example.org/other' }, job.worker)
    await confirm(job, 'job.submit', { already: true })
    assert.equal((await read(job.id)).status, 'assigned')

    await announce('JobSubmitted', job.number, newHash(), { deliverableHash: keccakOfText('work') })
    const { deliverableHash, deliverableUrl } = await is(job.id, 'submitted')

    assert.deepEqual([deliverableHash, deliverableUrl], [keccakOfText('work'), null])
    assert.equal(eventsOf(job.id).filter(type => type === 'commerce.job.submitted.v1').length, 1)
  })

  it('books the fee of a job that counts for nobody as money that has left', async () => {
    const [client, worker] = [newWallet(), newWallet()]
    const { number, become } = direct({ client, provider: worker })
    const txHash = newHash()
    await announce('JobCreated', number, txHash, { budget: '0' })
    const { id, external } = await is(number, 'open')
    become({ status: status.funded, deposit: paid(client) })
    await announce('JobAssigned', number, newHash())
    become({ status: status.completed, deposit: paid(`0x${'0'.repeat(40)}`) })
    await announce('JobSettled', number, newHash())
    await is(number, 'settled')

    assert.equal(external, true)
    assert.deepEqual(await cleared(id), [])
    await isHealthy()
  })

  it('is lost with the block of its creation, and the number may be the job of another wallet', async () => {
    const [client, worker] = [await newAgent(), await newAgent()]
    const { number, key, become } = direct({ client: client.wallet, provider: worker.wallet })
    const [made, started] = [newHash(), newHash()]
    await announce('JobCreated', number, made, { budget: '0' })
    await is(number, 'open')
    become({ status: status.funded, deposit: paid(client.wallet) })
    await announce('JobAssigned', number, started)
    const { id } = await is(number, 'assigned')

    remove(key)
    await withdraw('JobFunded', number, started)
    await withdraw('JobCreated', number, made)
    await is(id, 'open')
    await isHealthy()
    const another = await newAgent()
    put(key, number, { client: another.wallet })
    await announce('JobCreated', number, newHash(), { budget: '0' })

    const present = await until('the other job is known', async () => {
      const job = await read(number)
      return job.id !== id && job
    })
    assert.equal(present.posterAgentId, another.id)
    assert.equal((await read(id)).posterAgentId, client.id)
    const refused = await post(`/${id}/fund`, {}, client)
    assert.deepEqual([refused.status, refused.body.code], [409, 'INVALID_STATE'])
    assert.ok(!commands.some(({ opKey }) => opKey === `job.fund:${id}`))
  })

  it('is back with its creation in another block', async () => {
    const client = await newAgent()
    const { number, key } = direct({ client: client.wallet })
    const made = newHash()
    await announce('JobCreated', number, made, { budget: '0' })
    const { id } = await is(number, 'open')
    remove(key)
    await withdraw('JobCreated', number, made)
    put(key, number, { client: client.wallet })
    const again = newHash()
    await announce('JobCreated', number, again, { budget: '0' })

    await until('its creation is another transaction', async () => (await read(id)).txHashCreated === again)
  })
})
