import assert from 'node:assert/strict'
import type { ChainLog } from '@carapace/api'
import { commandConfirmed, newWallet } from '@carapace/testing'
import { until } from '../../testing/harness.ts'
import { escrowOf, lockFunds, newGig, untilStatus } from '../../testing/scenario.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'

describe('a second lock, from treasury after one from the allowance, that was found on chain without its logs', () => {
  const harness = sharedHarness({ pollAfterMs: 100 })

  /** The relayer found it; `poll` waits until it was polled about it again. */
  async function foundLock() {
    const scenario = await newGig(harness)
    const { chain, poster, gigId, amount } = scenario
    harness.chain = () => 'fail'
    await lockFunds(harness, scenario)
    const custodial = newWallet()
    harness.custodial.set(poster.id, custodial)
    harness.balances.set(`${chain}/${custodial}`, amount)
    harness.balances.delete(`${chain}/${poster.wallet}`)
    harness.chain = () => 'wait'
    await lockFunds(harness, scenario, { prefer: 'respond-async' })
    const command = await until('sent', () => harness.commands.find(({ opKey, round }) => opKey === `escrow.lock:${gigId}` && round === 2))
    let polls = 0
    const { answer } = harness.memory
    harness.memory.answer = operations => {
      polls += operations.filter(({ opKey }) => opKey === command.opKey).length
      return answer(operations)
    }
    const found = (logs: ChainLog[]) => commandConfirmed(command, { already: true, logs })
    harness.memory.note(found([]))
    await harness.platform.publish(found([]))
    await until('polled', () => polls > 2)
    // its ten minutes begin with the first outcome that is handled
    const escrows = harness.platform.service('escrow').platform.db.connection.collection<{ _id: string; lock: { unclearSince?: Date } }>('escrows')
    await until('it waits for the logs', async () => (await escrows.findOne({ _id: gigId }))?.lock.unclearSince)
    return { ...scenario, custodial, found }
  }

  it('waits for them, and is booked from the wallet that paid', async () => {
    const { gigId, poster, amount, found } = await foundLock()
    assert.equal((await escrowOf(harness, gigId)).status, 'funding')

    const args = { from: poster.wallet, to: newWallet(), value: String(amount) }
    harness.memory.note(found([{ contract: 'USDC', event: 'Transfer', args, address: newWallet(), logIndex: 0, logPosition: 0 }]))

    const { fundedFrom } = await untilStatus(harness, gigId, 'locked')
    assert.deepEqual(fundedFrom, { kind: 'allowance', address: poster.wallet })
  })

  it('is booked as requested when they stay away for ten minutes', async () => {
    const { gigId, custodial } = await foundLock()

    await harness.platform.advance(600)

    const { fundedFrom } = await untilStatus(harness, gigId, 'locked')
    assert.deepEqual(fundedFrom, { kind: 'treasury', address: custodial })
  })
})
