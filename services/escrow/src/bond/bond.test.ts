import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { escrowApi } from '@carapace/api'
import { newWallet, type TestAgent } from '@carapace/testing'
import { sharedWorld } from '../testing/shared-world.ts'
import { deliveredGig, lockFunds, newGig, type Story, told, untilStatus } from '../testing/story.ts'
import { newAgent, oracle, until, usdc } from '../testing/world.ts'

const daySeconds = 24 * 3_600

describe('bonds', () => {
  const world = sharedWorld()

  const call = (path: string, body: object, headers: Record<string, string>) => world.platform.call('POST', path, { body, headers })
  const deposit = (agent: TestAgent, amount: number, headers = {}) =>
    call(`/api/bond/${agent.id}/deposit`, { amount }, { ...agent.headers, ...headers })
  const status = async (agent: TestAgent) => (await world.platform.call('GET', `/api/bond/${agent.id}/status`)).body
  const history = async (agent: TestAgent) =>
    (await world.platform.call('GET', `/api/agents/${agent.id}/bond/history`)).body.events.map((e: { eventType: string; amount: number }) => [
      e.eventType,
      e.amount,
    ])
  const rich = async (): Promise<TestAgent> => {
    const agent = await newAgent(world)
    world.balances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(100_000))
    world.allowances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(100_000))
    return agent
  }
  const bonded = async (amount = 100): Promise<TestAgent> => {
    const agent = await rich()
    assert.equal((await deposit(agent, amount)).status, 200)
    return agent
  }
  const internal = (agent: TestAgent, gigId: string, amount: number) =>
    world.platform.service('escrow').platform.peers.call('escrow', escrowApi.internal.lockBondForGig, {
      params: { agentId: agent.id },
      body: { gigId, amount: String(usdc(amount)) },
      timeoutMs: 10_000,
    })
  /** A delivered gig whose assignee has 50 of its 100 locked. */
  const bondedGig = async (more: { chain?: 'SKALE_TESTNET' } = {}): Promise<Story> => {
    const story = await newGig(world, { bond: 50, ...more })
    story.worker = await bonded(100)
    await internal(story.worker, story.gigId, 50)
    await lockFunds(world, story)
    await world.platform.publish(told.assigned(story))
    await world.platform.publish(told.submitted(story))
    return story
  }
  const unlocked = (agent: TestAgent) => until('the lock is gone', async () => (await status(agent)).locks.length === 0 && status(agent))

  it('take a deposit from an allowance and show it', async () => {
    const agent = await bonded(500)

    const shown = await status(agent)
    assert.deepEqual([shown.bonded, shown.bondTier, shown.totalBonded, shown.availableBond, shown.lockedBond], [true, 'HIGH_BOND', 500, 500, 0])
    assert.deepEqual(await history(agent), [['DEPOSIT', 500]])
    assert.equal((await world.platform.call('GET', `/api/bonds/status/${agent.wallet}`)).body.agentId, agent.id)
  })

  it('are zero for an agent that never had any, and unknown for a stranger', async () => {
    const shown = await status(await newAgent(world))

    assert.deepEqual([shown.bonded, shown.bondTier, shown.totalBonded], [false, 'UNBONDED', 0])
    assert.notEqual((await world.platform.call('GET', `/api/bond/${randomUUID()}/status`)).status, 200)
  })

  it('refuse too little, no money and a foreign wallet', async () => {
    const [agent, poor] = [await rich(), await newAgent(world)]

    const answers = [
      await deposit(agent, 9.999999),
      await deposit(poor, 10),
      await call(`/api/bond/${agent.id}/deposit`, { amount: 10, walletAddress: newWallet() }, agent.headers),
      await call(`/api/bond/${agent.id}/deposit`, { amount: 10 }, poor.headers),
    ]

    assert.deepEqual(
      answers.map(({ status: code, body }) => [code, body.code]),
      [
        [400, 'BELOW_MINIMUM'],
        [402, 'FUNDS_REQUIRED'],
        [403, 'WALLET_MISMATCH'],
        [403, 'FORBIDDEN'],
      ],
    )
  })

  it('count a deposit that is sent twice with one key once', async () => {
    const agent = await rich()
    const key = { 'idempotency-key': `"${randomUUID()}"` }

    await Promise.all([deposit(agent, 20, key), deposit(agent, 20, key)])
    await deposit(agent, 20, key)

    assert.equal((await status(agent)).totalBonded, 20)
  })

  it('pay free stake back, never more, and give it back when the chain refuses', async () => {
    const agent = await bonded(100)
    const withdraw = (amount: number) => call(`/api/bond/${agent.id}/withdraw`, { amount }, agent.headers)

    const both = await Promise.all([withdraw(60), withdraw(60)])
    world.chain = ({ kind }) => (kind === 'bond.withdraw' ? 'fail' : 'confirm')
    const failed = await withdraw(40)

    assert.deepEqual(both.map(({ status: code }) => code).sort(), [200, 409])
    const refused = both.find(({ status: code }) => code === 409)!
    assert.deepEqual([refused.body.code, refused.body.details.available], ['INVALID_STATE', 40])
    assert.deepEqual([failed.status, failed.body.code], [409, 'CONFLICT'])
    assert.equal((await status(agent)).availableBond, 40)
  })

  it('take back what was told of a command that failed after its block was reorganised away, once', async () => {
    const agent = await rich()
    const sent = (kind: string) => world.commands.findLast(command => command.kind === kind)!
    await deposit(agent, 100)
    const stake = sent('bond.deposit')
    await call(`/api/bond/${agent.id}/withdraw`, { amount: 60 }, agent.headers)
    assert.equal((await status(agent)).availableBond, 40)
    const withdrawal = sent('bond.withdraw')

    await world.outcome(stake, 'fail', 'REVERTED', 3)
    for (let times = 0; times < 2; times++) {
      await world.outcome(withdrawal, 'reorg', '', 2)
      await world.outcome(withdrawal, 'fail', 'REVERTED', 3)
    }

    await until('nothing is bonded', async () => (await status(agent)).totalBonded === 0, 20)
    assert.deepEqual(await history(agent), [
      ['WITHDRAW', 100],
      ['DEPOSIT', 60],
      ['WITHDRAW', 60],
      ['DEPOSIT', 100],
    ])
  })

  it('send withdrawals to another wallet 24 hours after it was set', async () => {
    const agent = await bonded(100)
    const wallet = newWallet()
    await call(`/api/bond/${agent.id}/wallet`, { walletAddress: wallet }, agent.headers)
    const target = () => world.commands.filter(({ kind, args }) => kind === 'bond.withdraw' && args.agent === agent.wallet).map(({ args }) => args.to)

    await call(`/api/bond/${agent.id}/withdraw`, { amount: 1 }, agent.headers)
    await world.platform.advance(daySeconds)
    await call(`/api/bond/${agent.id}/withdraw`, { amount: 1 }, agent.headers)

    assert.deepEqual(target(), [agent.wallet, wallet])
  })

  it('lock once for a gig, whatever is asked at once, and refuse what is not free', async () => {
    const agent = await bonded(100)
    const gigId = randomUUID()

    const answers = await Promise.all([internal(agent, gigId, 60), internal(agent, gigId, 60)])
    const short = await internal(agent, randomUUID(), 60).catch((error: { code: string }) => error.code)

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
    await internal(second.worker, second.gigId, 50)
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
    const lock = world.commands.findLast(({ kind, args }) => kind === 'bond.lock' && args.gigId === gigId)!
    await world.outcome(lock, 'reorg', '', 2)
    await world.outcome(lock, 'fail', 'REVERTED', 3)
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
        const row = await until('the row is applied', () => rows.findOne({ gigId: story.gigId, status: 'APPLIED' }))
        assert.equal(BigInt(String(row.amount)), 0n)
      }
      world.chain = () => 'confirm'
    }
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
    const row = await until('the row is applied', () => rows.findOne({ gigId: story.gigId, status: 'APPLIED' }))
    assert.deepEqual([BigInt(String(row.amount)), (await status(story.worker)).availableBond], [0n, 100])
  })

  it('are undone after 15 minutes when the gig was not assigned, and kept when it was', async () => {
    const agent = await bonded(100)
    const [lost, kept] = [randomUUID(), randomUUID()]
    await internal(agent, lost, 30)
    await internal(agent, kept, 30)
    world.assigned.add(`${kept}/${agent.id}`)

    await world.platform.advance(16 * 60)

    await until('one lock is undone', async () => (await status(agent)).locks.length === 1)
    assert.equal((await status(agent)).locks[0].gigId, kept)
  })

  it('can be slashed by the oracle, locks first, and an admin pays it back from the pool once', async () => {
    const agent = await bonded(100)
    await internal(agent, randomUUID(), 40)

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

  it('are listed and summed', async () => {
    const list = (await world.platform.call('GET', '/api/bonds?limit=3')).body
    const stats = (await world.platform.call('GET', '/api/bond/network/stats')).body

    assert.ok(list.total >= 3 && list.bonds.length === 3 && list.bonds[0].totalBonded >= list.bonds[1].totalBonded)
    assert.ok(stats.bondedAgents >= 3 && stats.totalBonded > 0 && stats.slashedTotal >= 20)
  })

  it('say whether an agent may work a gig', async () => {
    const agent = await bonded(100)
    const ask = async (query: string) => (await world.platform.call('GET', `/api/bond/${agent.id}/eligibility?${query}`)).body
    const { gigId } = await newGig(world, { bond: 100.5 })

    assert.deepEqual([(await ask('required=100')).eligible, (await ask('required=100.000001')).eligible], [true, false])
    assert.deepEqual([(await ask(`gigId=${gigId}`)).eligible, (await ask(`gigId=${gigId}`)).required], [false, 100.5])
  })

  it('unlock by hand only when the gig is over, however often that is asked', async () => {
    const story = await deliveredGig(world, { bond: 10 })
    const agent = await bonded(20)
    const lock = await call(`/api/bond/${agent.id}/lock`, { gigId: story.gigId }, oracle)
    const unlock = () => call(`/api/bond/${agent.id}/unlock`, { gigId: story.gigId }, oracle)

    const early = await unlock()
    story.row.status = 'cancelled'
    const done = await unlock()
    const again = await unlock()
    const never = await call(`/api/bond/${story.worker.id}/unlock`, { gigId: story.gigId }, oracle)

    assert.deepEqual([lock.status, lock.body.lock.amount], [200, 10])
    assert.deepEqual([early.status, done.status, done.body.bond.availableBond], [409, 200, 20])
    assert.deepEqual([again.status, again.body.bond.availableBond], [200, 20])
    assert.equal(never.status, 404)
  })
})
