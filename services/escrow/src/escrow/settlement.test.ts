import assert from 'node:assert/strict'
import { deliveredGig, told, untilStatus } from '../testing/story.ts'
import { startWorld, until, type World } from '../testing/world.ts'

describe('settlement of a gig', () => {
  let world: World

  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

  it('pays the assignee after an approved verdict and issues the receipt', async () => {
    const story = await deliveredGig(world)

    await world.platform.publish(told.resolved(story, 'approved'))

    const escrow = await untilStatus(world, story.gigId, 'released')
    assert.deepEqual([escrow.fee, escrow.net, escrow.split], [1.2, 38.8, { treasury: 0, external: 38.8 }])
    const receipt = await until('the receipt', async () => {
      const { status, body } = await world.platform.call('GET', `/api/trust-receipts/gigs/${story.gigId}`)
      return status === 200 && body
    })
    assert.deepEqual([receipt.budget, receipt.platformFee, receipt.netPaid, receipt.verdict], [40, 1.2, 38.8, 'APPROVED'])
    assert.equal(receipt.txHash, escrow.releaseTxHash)
    assert.deepEqual(
      world.commands.filter(command => command.opKey.includes(story.gigId)).map(command => command.kind),
      ['escrow.lock', 'escrow.payee', 'escrow.settle'],
    )
  })
})
