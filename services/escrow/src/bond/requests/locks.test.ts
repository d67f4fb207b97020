import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { daySeconds } from '@carapace/testing'
import { bondsIn } from '../../testing/bonds.ts'
import { oracle, until } from '../../testing/harness.ts'
import { deliveredGig, eventOf, lockFunds, newGig, type Scenario, untilStatus } from '../../testing/scenario.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'

describe('bonds of gigs', () => {
  const harness = sharedHarness()
  const { call, status, history, bonded, lock, bondedGig, unlocked, slashed } = bondsIn(harness)
  /** A frozen rejection, and the appeal against it. */
  const appealedAgainst = async (scenario: Scenario): Promise<string> => {
    const appealId = randomUUID()
    const appealUntil = new Date(Date.now() + 9 * daySeconds * 1000).toISOString()
    const rejected = eventOf.resolved(scenario, 'rejected', { frozen: true, appealUntil })
    for (const draft of [eventOf.frozen(scenario), rejected, eventOf.appealFiled(scenario, appealId)]) await harness.platform.publish(draft)
    return appealId
  }

  it('lock once for a gig under parallel requests, and refuse what is not free', async () => {
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

  it('are released whole when the gig is approved', async () => {
    const scenario = await bondedGig()

    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))

    const shown = await unlocked(scenario.worker)
    assert.deepEqual([shown.availableBond, shown.slashedBond], [100, 0])
  })

  it('lose 20 % of the lock to a rejection, at most once in seven days', async () => {
    const scenario = await bondedGig()
    await harness.platform.publish(eventOf.resolved(scenario, 'rejected'))
    assert.equal((await slashed(scenario.worker, 10)).availableBond, 90)
    const second = await newGig(harness, { bond: 50 })
    second.worker = scenario.worker
    await lock(second.worker, second.gigId, 50)
    await lockFunds(harness, second)
    for (const draft of [eventOf.assigned(second), eventOf.submitted(second), eventOf.resolved(second, 'rejected')])
      await harness.platform.publish(draft)

    const after = await unlocked(second.worker)

    assert.deepEqual([after.availableBond, after.slashedBond], [90, 10])
    assert.deepEqual(
      (await history(scenario.worker)).map(([type]: [string]) => type),
      ['UNLOCK', 'LOCK', 'UNLOCK', 'SLASH', 'LOCK', 'DEPOSIT'],
    )
  })

  it('are not slashed for a frozen verdict before the appeal, and then as it ends', async () => {
    for (const applySlash of [true, false]) {
      const scenario = await bondedGig()
      const appealId = await appealedAgainst(scenario)
      assert.equal((await status(scenario.worker)).slashedBond, 0)

      await harness.platform.publish(eventOf.appealClosed(scenario, appealId, 'lost', applySlash))

      await untilStatus(harness, scenario.gigId, 'refunded')
      await slashed(scenario.worker, applySlash ? 10 : 0)
    }
  })

  /** A reorganisation drops the lock of the gig for good. */
  const loseLock = async ({ gigId }: Scenario) => {
    const command = harness.commands.findLast(({ kind, args }) => kind === 'bond.lock' && args.gigId === gigId)!
    await harness.outcome(command, 'reorg', '', 2)
    await harness.outcome(command, 'fail', 'REVERTED', 3)
  }

  it('are locked again when a reorganisation undid the lock of a running gig', async () => {
    const scenario = await bondedGig()

    await loseLock(scenario)

    const locks = async () => (await history(scenario.worker)).filter(([type]: [string]) => type === 'LOCK').length
    await until('it is locked again', async () => (await locks()) === 2)
    assert.equal((await status(scenario.worker)).lockedBond, 50)
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    assert.equal((await unlocked(scenario.worker)).availableBond, 100)
    assert.deepEqual(
      (await history(scenario.worker)).map(([type]: [string]) => type),
      ['UNLOCK', 'LOCK', 'UNLOCK', 'LOCK', 'DEPOSIT'],
    )
  })

  it('lose nothing to a rejection when the lock failed for good, before the verdict or after it was frozen', async () => {
    for (const isFrozen of [false, true]) {
      const scenario = await bondedGig()
      const appealId = randomUUID()
      const appealUntil = new Date(Date.now() + 9 * daySeconds * 1000).toISOString()
      const verdict = eventOf.resolved(scenario, 'rejected', isFrozen ? { frozen: true, appealUntil } : {})
      if (isFrozen) for (const draft of [eventOf.frozen(scenario), verdict]) await harness.platform.publish(draft)
      harness.chain = ({ kind }) => (kind === 'bond.lock' ? 'fail' : 'confirm')

      await loseLock(scenario)
      await until('it is free', async () => (await status(scenario.worker)).availableBond === 100)
      for (const draft of isFrozen ? [eventOf.appealFiled(scenario, appealId), eventOf.appealClosed(scenario, appealId, 'lost', true)] : [verdict])
        await harness.platform.publish(draft)

      await untilStatus(harness, scenario.gigId, 'refunded')
      const shown = await status(scenario.worker)
      assert.deepEqual([shown.availableBond, shown.slashedBond, shown.locks], [100, 0, []])
      if (isFrozen) {
        const rows = harness.platform.service('escrow').platform.db.connection.collection('slashes')
        await until('the row is dropped', () => rows.findOne({ gigId: scenario.gigId, status: 'DROPPED' }))
      }
      harness.chain = () => 'confirm'
    }
  })

  it('that never were give a frozen verdict and a lost appeal nothing to slash: there is no row', async () => {
    const scenario = await newGig(harness)
    await lockFunds(harness, scenario)
    const appealId = randomUUID()
    const appealUntil = new Date(Date.now() + 9 * daySeconds * 1000).toISOString()
    const verdict = eventOf.resolved(scenario, 'rejected', { frozen: true, appealUntil })

    for (const draft of [eventOf.assigned(scenario), eventOf.submitted(scenario), eventOf.frozen(scenario), verdict])
      await harness.platform.publish(draft)
    for (const draft of [eventOf.appealFiled(scenario, appealId), eventOf.appealClosed(scenario, appealId, 'lost', true)])
      await harness.platform.publish(draft)

    await untilStatus(harness, scenario.gigId, 'refunded')
    const rows = harness.platform.service('escrow').platform.db.connection.collection('slashes')
    assert.equal(await rows.countDocuments({ gigId: scenario.gigId }), 0)
  })

  it('lose nothing to a lost appeal while the lock is requested again, which then fails', async () => {
    const scenario = await bondedGig()
    const appealId = await appealedAgainst(scenario)
    harness.chain = ({ kind }) => (kind === 'bond.lock' ? 'wait' : 'confirm')
    const lockCommands = () => harness.commands.filter(({ kind, args }) => kind === 'bond.lock' && args.gigId === scenario.gigId)
    await loseLock(scenario)
    await until('the lock is requested once more', () => lockCommands().length === 2)
    await harness.platform.publish(eventOf.appealClosed(scenario, appealId, 'lost', true))
    await untilStatus(harness, scenario.gigId, 'refunded')

    await harness.outcome(lockCommands()[1]!, 'fail')

    const rows = harness.platform.service('escrow').platform.db.connection.collection('slashes')
    await until('the row is dropped', () => rows.findOne({ gigId: scenario.gigId, status: 'DROPPED' }))
    assert.equal((await status(scenario.worker)).availableBond, 100)
  })

  it('are released after 15 minutes when the gig was not assigned, and remain when it was', async () => {
    const agent = await bonded(100)
    const [unassigned, assigned] = [randomUUID(), randomUUID()]
    await lock(agent, unassigned, 30)
    await lock(agent, assigned, 30)
    harness.assigned.add(`${assigned}/${agent.id}`)

    await harness.platform.advance(16 * 60)

    await until('one lock is released', async () => (await status(agent)).locks.length === 1)
    assert.equal((await status(agent)).locks[0].gigId, assigned)
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
    assert.equal(harness.commands.filter(({ kind, args }) => kind === 'bond.unslash' && args.agent === agent.wallet).length, 1)
  })

  it('are paid back once the slash is confirmed: until then the reversal is refused as retryable, under the same key', async () => {
    const agent = await bonded(100)
    harness.chain = ({ kind }) => (kind === 'bond.slash' ? 'wait' : 'confirm')
    const slashed = await call(`/api/bond/${agent.id}/slash`, { amount: 20, reason: 'Fraud' }, { ...oracle, prefer: 'respond-async' })
    const key = { ...oracle, 'idempotency-key': randomUUID() }
    const reverse = () => call(`/api/admin/slashes/${slashed.body.slash.id}/reverse`, { reason: 'Wrong agent' }, key)

    const early = await reverse()
    const command = harness.commands.findLast(({ kind }) => kind === 'bond.slash')!
    await harness.outcome(command, 'confirm')
    await until('it is slashed', async () => (await status(agent)).totalBonded === 80)
    const late = await reverse()

    assert.deepEqual([early.status, early.body.code, early.body.retryable, late.status], [409, 'INVALID_STATE', true, 200])
    assert.equal(early.body.details.state, 'pending')
  })

  it('are paid back from the pool of their own network, whichever the gig was on', async () => {
    const scenario = await bondedGig({ chain: 'SKALE_TESTNET' })
    await harness.platform.publish(eventOf.resolved(scenario, 'rejected'))
    await unlocked(scenario.worker)
    const { events } = (await harness.platform.call('GET', `/api/agents/${scenario.worker.id}/bond/history`)).body
    const { id } = events.find(({ eventType }: { eventType: string }) => eventType === 'SLASH')

    const { status: code, body } = await call(`/api/admin/slashes/${id}/reverse`, { reason: 'Wrong panel' }, oracle)

    assert.equal(code, 200, JSON.stringify(body))
    assert.deepEqual([(await status(scenario.worker)).availableBond, (await status(scenario.worker)).slashedBond], [100, 0])
  })

  it('unlock by hand only when the gig is over, however often that is requested', async () => {
    const scenario = await deliveredGig(harness, { bond: 10 })
    const agent = await bonded(20)
    const byHand = await call(`/api/bond/${agent.id}/lock`, { gigId: scenario.gigId }, oracle)
    const unlock = () => call(`/api/bond/${agent.id}/unlock`, { gigId: scenario.gigId }, oracle)

    const early = await unlock()
    scenario.row.status = 'cancelled'
    const done = await unlock()
    const again = await unlock()
    const never = await call(`/api/bond/${scenario.worker.id}/unlock`, { gigId: scenario.gigId }, oracle)

    assert.deepEqual([byHand.status, byHand.body.lock.amount], [200, 10])
    assert.deepEqual([early.status, done.status, done.body.bond.availableBond], [409, 200, 20])
    assert.deepEqual([again.status, again.body.bond.availableBond], [200, 20])
    assert.equal(never.status, 404)
  })
})
