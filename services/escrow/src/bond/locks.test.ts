import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { bondsIn } from '../testing/bonds.ts'
import { sharedWorld } from '../testing/shared-world.ts'
import { deliveredGig, lockFunds, newGig, type Story, told, untilStatus } from '../testing/story.ts'
import { oracle, until } from '../testing/world.ts'

const daySeconds = 24 * 3_600

describe('bonds of gigs', () => {
  const world = sharedWorld()
  const { call, status, history, bonded, lock, bondedGig, unlocked } = bondsIn(world)

  it('lock once for a gig, whatever is asked at once, and refuse what is not free', async () => {
    const agent = await bonded(100)
    const gigId = randomUUID()

    const answers = await Promise.all([lock(agent, gigId, 60), lock(agent, gigId, 60)])
    const short = await lock(agent, randomUUID(), 60).catch((error: { code: string }) => error.code)

    assert.deepEqual(
      answers.map(({ status: state }) => state),
      ['confirmed', 'confirmed'],
    )
    assert.equal(short, 'INSUFFICIENT_BOND')
    assert.deepEqual([(await status(agent)).availableBond, (await status(agent)).lockedBond], [40, 60])
  })

  it('come back whole when the gig ends well', async () => {
    const story = await bondedGig()

    await world.platform.publish(told.resolved(story, 'approved'))

    const shown = await unlocked(story.worker)
    assert.deepEqual([shown.availableBond, shown.slashedBond], [100, 0])
  })

  it('lose 20 % of the lock to a rejection, at most once in seven days', async () => {
    const story = await bondedGig()
    await world.platform.publish(told.resolved(story, 'rejected'))
    const shown = await unlocked(story.worker)
    assert.deepEqual([shown.availableBond, shown.slashedBond], [90, 10])
    const second = await newGig(world, { bond: 50 })
    second.worker = story.worker
    await lock(second.worker, second.gigId, 50)
    await lockFunds(world, second)
    for (const draft of [told.assigned(second), told.submitted(second), told.resolved(second, 'rejected')]) await world.platform.publish(draft)

    const after = await unlocked(second.worker)

    assert.deepEqual([after.availableBond, after.slashedBond], [90, 10])
    assert.deepEqual(
      (await history(story.worker)).map(([type]: [string]) => type),
      ['UNLOCK', 'LOCK', 'UNLOCK', 'SLASH', 'LOCK', 'DEPOSIT'],
    )
  })

  it('are not slashed for a frozen verdict before the appeal, and then as it ends', async () => {
    for (const applySlash of [true, false]) {
      const story = await bondedGig()
      const appealId = randomUUID()
      const appealUntil = new Date(Date.now() + 9 * daySeconds * 1000).toISOString()
      for (const draft of [told.frozen(story), told.resolved(story, 'rejected', { frozen: true, appealUntil }), told.appealFiled(story, appealId)])
        await world.platform.publish(draft)
      assert.equal((await status(story.worker)).slashedBond, 0)

      await world.platform.publish(told.appealClosed(story, appealId, 'lost', applySlash))

      await untilStatus(world, story.gigId, 'refunded')
      assert.equal((await unlocked(story.worker)).slashedBond, applySlash ? 10 : 0)
    }
  })

  /** A reorganisation takes the lock of the gig away for good. */
  const loseLock = async ({ gigId }: Story) => {
    const command = world.commands.findLast(({ kind, args }) => kind === 'bond.lock' && args.gigId === gigId)!
    await world.outcome(command, 'reorg', '', 2)
    await world.outcome(command, 'fail', 'REVERTED', 3)
  }

  it('are locked again when a reorganisation undid the lock of a running gig', async () => {
    const story = await bondedGig()

    await loseLock(story)

    const locks = async () => (await history(story.worker)).filter(([type]: [string]) => type === 'LOCK').length
    await until('it is locked again', async () => (await locks()) === 2)
    assert.equal((await status(story.worker)).lockedBond, 50)
    await world.platform.publish(told.resolved(story, 'approved'))
    assert.equal((await unlocked(story.worker)).availableBond, 100)
    assert.deepEqual(
      (await history(story.worker)).map(([type]: [string]) => type),
      ['UNLOCK', 'LOCK', 'UNLOCK', 'LOCK', 'DEPOSIT'],
    )
  })

  it('lose nothing to a rejection when the lock is gone for good, before the verdict or after it was frozen', async () => {
    for (const isFrozen of [false, true]) {
      const story = await bondedGig()
      const appealId = randomUUID()
      const appealUntil = new Date(Date.now() + 9 * daySeconds * 1000).toISOString()
      const verdict = told.resolved(story, 'rejected', isFrozen ? { frozen: true, appealUntil } : {})
      if (isFrozen) for (const draft of [told.frozen(story), verdict]) await world.platform.publish(draft)
      world.chain = ({ kind }) => (kind === 'bond.lock' ? 'fail' : 'confirm')

      await loseLock(story)
      await until('it is free', async () => (await status(story.worker)).availableBond === 100)
      for (const draft of isFrozen ? [told.appealFiled(story, appealId), told.appealClosed(story, appealId, 'lost', true)] : [verdict])
        await world.platform.publish(draft)

      await untilStatus(world, story.gigId, 'refunded')
      const shown = await status(story.worker)
      assert.deepEqual([shown.availableBond, shown.slashedBond, shown.locks], [100, 0, []])
      if (isFrozen) {
        const rows = world.platform.service('escrow').platform.db.connection.collection('slashes')
        await until('the row is dropped', () => rows.findOne({ gigId: story.gigId, status: 'DROPPED' }))
      }
      world.chain = () => 'confirm'
    }
  })

  it('that never were give a frozen verdict and a lost appeal nothing to slash: there is no row', async () => {
    const story = await newGig(world)
    await lockFunds(world, story)
    const appealId = randomUUID()
    const appealUntil = new Date(Date.now() + 9 * daySeconds * 1000).toISOString()
    const verdict = told.resolved(story, 'rejected', { frozen: true, appealUntil })

    for (const draft of [told.assigned(story), told.submitted(story), told.frozen(story), verdict]) await world.platform.publish(draft)
    for (const draft of [told.appealFiled(story, appealId), told.appealClosed(story, appealId, 'lost', true)]) await world.platform.publish(draft)

    await untilStatus(world, story.gigId, 'refunded')
    const rows = world.platform.service('escrow').platform.db.connection.collection('slashes')
    assert.equal(await rows.countDocuments({ gigId: story.gigId }), 0)
  })

  it('lose nothing to an appeal that is lost while the lock is asked for once more, which then fails', async () => {
    const story = await bondedGig()
    const appealId = randomUUID()
    const appealUntil = new Date(Date.now() + 9 * daySeconds * 1000).toISOString()
    for (const draft of [told.frozen(story), told.resolved(story, 'rejected', { frozen: true, appealUntil }), told.appealFiled(story, appealId)])
      await world.platform.publish(draft)
    world.chain = ({ kind }) => (kind === 'bond.lock' ? 'wait' : 'confirm')
    const asked = () => world.commands.filter(({ kind, args }) => kind === 'bond.lock' && args.gigId === story.gigId)
    await loseLock(story)
    await until('the lock is asked for once more', () => asked().length === 2)
    await world.platform.publish(told.appealClosed(story, appealId, 'lost', true))
    await untilStatus(world, story.gigId, 'refunded')

    await world.outcome(asked()[1]!, 'fail')

    const rows = world.platform.service('escrow').platform.db.connection.collection('slashes')
    await until('the row is dropped', () => rows.findOne({ gigId: story.gigId, status: 'DROPPED' }))
    assert.equal((await status(story.worker)).availableBond, 100)
  })

  it('are undone after 15 minutes when the gig was not assigned, and kept when it was', async () => {
    const agent = await bonded(100)
    const [lost, kept] = [randomUUID(), randomUUID()]
    await lock(agent, lost, 30)
    await lock(agent, kept, 30)
    world.assigned.add(`${kept}/${agent.id}`)

    await world.platform.advance(16 * 60)

    await until('one lock is undone', async () => (await status(agent)).locks.length === 1)
    assert.equal((await status(agent)).locks[0].gigId, kept)
  })

  it('can be slashed by the oracle, locks first, and an admin pays it back from the pool once', async () => {
    const agent = await bonded(100)
    await lock(agent, randomUUID(), 40)

    const slashed = await call(`/api/bond/${agent.id}/slash`, { amount: 70, reason: 'Fraud' }, oracle)
    const tooMuch = await call(`/api/bond/${agent.id}/slash`, { amount: 31, reason: 'More' }, oracle)
    const reversals = await Promise.all(
      [1, 2].map(() => call(`/api/admin/slashes/${slashed.body.slash.id}/reverse`, { reason: 'Wrong agent' }, oracle)),
    )

    assert.deepEqual(
      [slashed.status, slashed.body.slash.status, slashed.body.bond.lockedBond, slashed.body.bond.availableBond],
      [200, 'APPLIED', 0, 30],
    )
    assert.deepEqual([tooMuch.status, tooMuch.body.code], [400, 'VALIDATION_ERROR'])
    assert.ok(
      reversals.some(({ status: code }) => code === 200),
      JSON.stringify(reversals.map(({ body }) => body)),
    )
    const shown = await until('it is paid back', async () => (await status(agent)).availableBond === 100 && status(agent))
    assert.equal(shown.slashedBond, 0)
    assert.equal(world.commands.filter(({ kind, args }) => kind === 'bond.unslash' && args.agent === agent.wallet).length, 1)
  })

  it('are paid back from the pool of their own network, whichever the gig was on', async () => {
    const story = await bondedGig({ chain: 'SKALE_TESTNET' })
    await world.platform.publish(told.resolved(story, 'rejected'))
    await unlocked(story.worker)
    const { events } = (await world.platform.call('GET', `/api/agents/${story.worker.id}/bond/history`)).body
    const { id } = events.find(({ eventType }: { eventType: string }) => eventType === 'SLASH')

    const { status: code, body } = await call(`/api/admin/slashes/${id}/reverse`, { reason: 'Wrong panel' }, oracle)

    assert.equal(code, 200, JSON.stringify(body))
    assert.deepEqual([(await status(story.worker)).availableBond, (await status(story.worker)).slashedBond], [100, 0])
  })

  it('unlock by hand only when the gig is over, however often that is asked', async () => {
    const story = await deliveredGig(world, { bond: 10 })
    const agent = await bonded(20)
    const byHand = await call(`/api/bond/${agent.id}/lock`, { gigId: story.gigId }, oracle)
    const unlock = () => call(`/api/bond/${agent.id}/unlock`, { gigId: story.gigId }, oracle)

    const early = await unlock()
    story.row.status = 'cancelled'
    const done = await unlock()
    const again = await unlock()
    const never = await call(`/api/bond/${story.worker.id}/unlock`, { gigId: story.gigId }, oracle)

    assert.deepEqual([byHand.status, byHand.body.lock.amount], [200, 10])
    assert.deepEqual([early.status, done.status, done.body.bond.availableBond], [409, 200, 20])
    assert.deepEqual([again.status, again.body.bond.availableBond], [200, 20])
    assert.equal(never.status, 404)
  })
})
