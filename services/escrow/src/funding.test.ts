import assert from 'node:assert/strict'
import { newWallet } from '@carapace/testing'
import { lockFunds, newGig } from './testing/story.ts'
import { assertWell } from './testing/well.ts'
import { startWorld, usdc, type World } from './testing/world.ts'

describe('sources of funds', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  beforeEach(() => {
    world.reservation = 'held'
  })
  after(async () => {
    await assertWell(world)
    await world.close()
  })

  const exposed = { 'x-test-exposed': 'yes' }
  const locks = (gigId: string) => world.commands.filter(({ opKey }) => opKey === `escrow.lock:${gigId}`)
  const said = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
  /** A gig whose poster has the money in its custodial wallet alone. */
  const custodialGig = async () => {
    const story = await newGig(world)
    const custodial = newWallet()
    world.balances.delete(`${story.chain}/${story.poster.wallet}`)
    world.custodial.set(story.poster.id, custodial)
    world.balances.set(`${story.chain}/${custodial}`, usdc(40))
    return story
  }

  for (const [source, make] of [
    ['an allowance', () => newGig(world)],
    ['a custodial wallet', custodialGig],
  ] as const) {
    it(`draw on ${source} only for a signed call where strangers can reach plain mode`, async () => {
      const story = await make()

      const unsigned = await lockFunds(world, story, exposed)
      const signed = await lockFunds(world, story, { ...exposed, 'x-test-signed-by': story.poster.wallet })

      assert.deepEqual(said(unsigned), [401, 'SIGNATURE_REQUIRED'])
      assert.equal(signed.status, 201)
      assert.equal(locks(story.gigId).length, 1)
    })
  }

  it('take an authorisation there without a signature of the call, and a deposit asks for one too', async () => {
    const story = await newGig(world)
    const authorization = { type: 'eip3009', validBefore: Math.floor(Date.now() / 1000) + 600, signature: `0x${'12'.repeat(65)}` }
    const headers = { ...story.poster.headers, ...exposed }

    const bond = await world.platform.call('POST', `/api/bond/${story.poster.id}/deposit`, { body: { amount: 10 }, headers })
    const lock = await world.platform.call('POST', '/api/escrow/create', { body: { gigId: story.gigId, amount: 40, authorization }, headers })

    assert.deepEqual(said(bond), [401, 'SIGNATURE_REQUIRED'])
    assert.equal(lock.status, 201)
  })

  it('that the treasury gave back before are none', async () => {
    const story = await custodialGig()
    world.reservation = 'voided'

    const refused = await lockFunds(world, story)
    assert.deepEqual(said(refused), [402, 'FUNDS_REQUIRED'])
    assert.equal(locks(story.gigId).length, 0)

    world.reservation = 'held'
    assert.equal((await lockFunds(world, story)).status, 201)
  })
})
