import assert from 'node:assert/strict'
import { loseReads, until } from '@carapace/testing'
import { balance, call, fundedAgent, newAgent } from '../testing/agents.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { usdc } from '../testing/token.ts'

/** Without a key a client that is refused pays again: an accepted payment is never refused. */
describe('a payment whose database is away after it was accepted', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const collection = (name: string) => harness.platform.service('treasury').platform.db.connection.collection(name)
  /** The reads of `name` fail from the moment the chain has the command. */
  const payWithout = async (name: string) => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(10)), await newAgent(harness)]
    let lost: ReturnType<typeof loseReads> | undefined
    harness.chain = () => {
      lost ??= loseReads(collection(name))
      return 'wait'
    }
    const paying = call(harness, sender, 'POST', 'pay', { recipientAgentId: recipient.id, amount: Number(usdc(4)) })
    const command = await until('the command', () => harness.commands.find(({ args }) => args.from === sender.address))
    return { sender, paying, command, lost: await until('the reads fail', () => lost) }
  }

  it('is answered with its outcome when the database is back', async () => {
    const { sender, paying, command, lost } = await payWithout('payments')
    await until('a read has failed', () => lost.count() > 0)
    lost.end()

    await harness.outcome(command, 'confirm')

    const { status, body } = await paying
    assert.deepEqual([status, body.status, body.newBalance], [200, 'executed', 6_000_000])
    assert.equal((await balance(harness, sender)).balance, 6_000_000)
  })

  it('is answered as under way, with its status URL, when the database stays away', async () => {
    const { paying, lost } = await payWithout('payments')

    const { status, body } = await paying
    lost.end()

    assert.deepEqual([status, body.status, body.statusUrl], [200, 'processing', `/api/treasury/payments/${body.paymentId}`])
  })
})
