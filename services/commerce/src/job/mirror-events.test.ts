import assert from 'node:assert/strict'
import * as api from '@carapace/api'
import { commandConfirmed, commandFailed, doctorChecks, newHash, until } from '@carapace/testing'
import { contractHarness, paid } from '../testing/contract.ts'

const network = 'BASE_SEPOLIA' as const

describe('what others do on the contract itself', () => {
  const harness = contractHarness()
  const { announce, custodial, direct, fundedByTreasury, is, newAgent, platform, read } = harness

  it('is followed, also where one transaction does all of it', async () => {
    const [client, worker] = [await newAgent(), await newAgent()]
    const { number, become } = direct({ client: client.wallet, provider: worker.wallet })
    const txHash = newHash()

    become({ status: 1, deposit: paid(client.wallet) })
    await announce('JobCreated', number, txHash, { budget: '0' })
    await is(number, 'open')
    await announce('JobFunded', number, txHash, { funder: client.wallet })
    await is(number, 'funded')
    await announce('JobAssigned', number, txHash)
    const { external, txHashCreated, txHashAssigned } = await is(number, 'assigned')

    assert.deepEqual([external, txHashCreated, txHashAssigned], [false, txHash, txHash])
  })

  /** Created, then paid with its provider named. */
  const paidJob = async (client: { wallet: string }, worker: { wallet: string }, between: () => Promise<unknown> = async () => undefined) => {
    const { number, become } = direct({ client: client.wallet, provider: worker.wallet })
    await announce('JobCreated', number, newHash(), { budget: '0' })
    await is(number, 'open')
    await between()
    become({ status: 1, deposit: paid(client.wallet) })
    await announce('JobAssigned', number, newHash())
    return is(number, 'assigned')
  }

  it('counts where its client registers before the money is in', async () => {
    const [client, worker] = [await newAgent(false), await newAgent()]

    const { external, posterAgentId, poster } = await paidJob(client, worker, client.register)

    assert.deepEqual([external, posterAgentId, poster?.id], [false, client.id, client.id])
  })

  it('does not count where an agent is its own provider', async () => {
    const client = await newAgent()
    const { external, posterAgentId, assigneeAgentId } = await paidJob(client, client)

    assert.deepEqual([external, posterAgentId, assigneeAgentId], [true, client.id, client.id])
  })

  it('is shown with any numbers of its client, and with as much text as other jobs have', async () => {
    const most = String(2n ** 256n - 1n)
    const { number } = direct({ expiredAt: most, budget: most, description: `Label\n${'x'.repeat(300_000)}` })
    await announce('JobCreated', number, newHash(), { budget: '0' })

    const { external, budgetUsdc, expiredAt, deadlineHours, description } = await is(number, 'open')
    assert.equal(description.length, api.limits.text.description)
    const { status, body } = await platform().call('GET', `/api/erc8183/jobs?chain=${network}`)

    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([external, expiredAt.slice(0, 4), budgetUsdc > 1e12, Number.isInteger(deadlineHours)], [true, '9999', true, true])
  })

  describe('while the custodial wallet of the poster is to pay', () => {
    const isHealthy = async () => {
      const wrong = (await doctorChecks(platform(), 'commerce')).filter(({ name, count }) => count > 0 && name !== 'contracts')
      assert.deepEqual(wrong, [])
    }
    /** What the books hold for the reservation of a job. */
    const cleared = async (id: string) => {
      const { peers } = platform().service('commerce').platform
      const { accounts } = await peers.call('commerce', api.commerceApi.internal.clearingBalances, { query: { chain: network, after: '' } })
      return accounts.filter(({ key, balance }) => key.includes(id) && balance !== '0')
    }

    it('frees what is reserved when the poster pays on the contract itself', async () => {
      const poster = await newAgent()
      const { id, number, become, command } = await fundedByTreasury(poster)
      const sent = await until('its command is sent', () => command())

      become({ deposit: paid(poster.wallet) })
      await announce('JobFunded', number, newHash(), { funder: poster.wallet })
      const { fundedFrom } = await is(id, 'funded')
      await platform().publish(commandFailed(sent))

      assert.deepEqual(fundedFrom, { kind: 'onchain', address: poster.wallet })
      await until('nothing is held for the reservation', async () => (await cleared(id)).length === 0)
      await isHealthy()
    })

    it('has the budget that the client has lowered and paid on the contract, and books no other', async () => {
      const poster = await newAgent()
      const { id, number, become, command } = await fundedByTreasury(poster)
      const sent = await until('its command is sent', () => command())

      become({ budget: '10000' })
      await announce('BudgetSet', number, newHash())
      become({ deposit: { payer: poster.wallet, amount: '10000' } })
      await announce('JobFunded', number, newHash(), { funder: poster.wallet })
      await is(id, 'funded')
      await platform().publish(commandFailed(sent))
      const { budgetUsdc, fundedFrom, status } = await read(id)

      assert.deepEqual([status, budgetUsdc, fundedFrom], ['funded', 0.01, { kind: 'onchain', address: poster.wallet }])
      await until('nothing is held for the reservation', async () => (await cleared(id)).length === 0)
      await isHealthy()
    })

    it('has the budget that the contract has once its funding has failed', async () => {
      const poster = await newAgent()
      const { id, number, become, command } = await fundedByTreasury(poster)
      const sent = await until('its command is sent', () => command())

      become({ budget: '10000' })
      await announce('BudgetSet', number, newHash())
      assert.equal((await read(id)).budgetUsdc, 20)
      await platform().publish(commandFailed(sent))

      await until('the budget is that of the contract', async () => (await read(id)).budgetUsdc === 0.01)
      assert.deepEqual(await cleared(id), [])
      await isHealthy()
    })

    it('is paid by the client where our command found its payment', async () => {
      const poster = await newAgent()
      const { id, become, command } = await fundedByTreasury(poster)
      const sent = await until('its command is sent', () => command())

      become({ deposit: paid(poster.wallet) })
      await platform().publish(commandConfirmed(sent, { already: true }))

      const { fundedFrom } = await is(id, 'funded')
      assert.deepEqual(fundedFrom, { kind: 'onchain', address: poster.wallet })
      assert.deepEqual(await cleared(id), [])
      await isHealthy()
    })

    it('is the custodial wallet that has paid where its command is included after its failure', async () => {
      const poster = await newAgent()
      const { id, number, become, command } = await fundedByTreasury(poster)
      const sent = await until('its command is sent', () => command())
      await platform().publish(commandFailed(sent))
      await until('nothing is held for the reservation', async () => (await cleared(id)).length === 0)

      become({ deposit: paid(custodial) })
      const txHash = newHash()
      await announce('JobFunded', number, txHash, { funder: custodial })
      const { fundedFrom } = await is(id, 'funded')
      await platform().publish(commandConfirmed(sent, { seq: 3, txHash }))

      assert.deepEqual(fundedFrom, { kind: 'treasury', address: custodial })
      const books = await cleared(id)
      assert.deepEqual(
        books.map(({ key, balance }) => [key, balance]),
        [[`job.fund:${id}`, '-20000000']],
      )
      assert.equal((await read(id)).status, 'funded')
    })

    it('cancels the job once the outcome of its funding is known', async () => {
      const poster = await newAgent()
      const { id, number, become, command } = await fundedByTreasury(poster)
      const sent = await until('its command is sent', () => command())

      become({ status: 4 })
      const txHash = newHash()
      await announce('JobRejected', number, txHash)
      assert.equal((await read(id)).status, 'open')
      await platform().publish(commandFailed(sent))

      await until('the job is cancelled', async () => {
        // as the comparison with the chain does with what could not be handled
        await announce('JobRejected', number, txHash)
        return (await read(id)).status === 'cancelled'
      })
      assert.deepEqual(await cleared(id), [])
      await isHealthy()
    })

    it('cancels a job whose money treasury has not reserved, and then needs none', async () => {
      const poster = await newAgent()
      harness.treasury = 'away'
      const { id, number, become, command } = await fundedByTreasury(poster)

      become({ status: 4 })
      await announce('JobRejected', number, newHash())
      await is(id, 'cancelled')
      harness.treasury = 'holds'
      await platform().advance(31)

      assert.equal(command(), undefined)
      assert.deepEqual(await cleared(id), [])
      await isHealthy()
    })
  })
})
