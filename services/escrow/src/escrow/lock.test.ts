import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { newHash, newWallet } from '@carapace/testing'
import { sharedWorld } from '../testing/shared-world.ts'
import { escrowOf, lockFunds, newGig, told, untilStatus, validationRow } from '../testing/story.ts'
import { contracts, until, usdc } from '../testing/world.ts'

const zero = `0x${'0'.repeat(40)}`

describe('locking a budget', () => {
  const world = sharedWorld({ env: { X402_PAY_TO_ADDRESS: `0x${'77'.repeat(20)}` } })

  const poor = async (options: Parameters<typeof newGig>[1] = {}) => {
    const story = await newGig(world, options)
    world.balances.delete(`${story.chain}/${story.poster.wallet}`)
    return story
  }
  const fund = (gigId: string, agentId: string, headers: Record<string, string> = {}) =>
    world.platform.call('POST', '/api/agent-payments/fund-escrow', { body: { gigId, agentId }, headers })
  const locks = (gigId: string) => world.commands.filter(({ opKey }) => opKey === `escrow.lock:${gigId}`)

  it('answers the locked escrow with its transaction', async () => {
    const story = await newGig(world)

    const { status, body } = await lockFunds(world, story)

    assert.equal(status, 201)
    assert.deepEqual(
      [body.escrow.status, body.escrow.amount, body.escrow.fundedFrom],
      ['locked', 40, { kind: 'allowance', address: story.poster.wallet }],
    )
    assert.match(body.txHash, /^0x[0-9a-f]{64}$/)
    assert.equal(body.escrow.depositAddress, contracts.escrow)
  })

  it('answers once the gig shows it', async () => {
    const story = await newGig(world)
    let shows = 'none'
    let requests = 0
    world.gigShows = () => {
      requests++
      return shows
    }
    let isAnswered = false

    const locking = lockFunds(world, story).finally(() => {
      isAnswered = true
    })
    await until('the gig was read again', () => requests > 1)
    const early = isAnswered
    shows = 'locked'
    const { status } = await locking
    world.gigShows = () => api.refuse('DEPENDENCY_UNAVAILABLE')

    assert.deepEqual([early, status], [false, 201])
  })

  it('locks once for three equal requests without a key, the others are refused', async () => {
    const story = await newGig(world)

    const answers = await Promise.all([1, 2, 3].map(() => lockFunds(world, story)))

    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
    assert.ok(answers.every(({ status, body }) => status === 201 || body.code === 'ALREADY_EXISTS'))
    assert.equal(locks(story.gigId).length, 1)
  })

  it('locks once for two equal requests with one key', async () => {
    const story = await newGig(world)
    const key = { 'idempotency-key': `"${story.gigId}"` }

    const answers = await Promise.all([1, 2].map(() => lockFunds(world, story, key)))
    const replayed = await lockFunds(world, story, key)

    const done = answers.find(({ status }) => status === 201)!
    for (const { status, body } of answers) assert.ok(status === 201 ? body.txHash === done.body.txHash : status === 409, String(status))
    assert.deepEqual([replayed.status, replayed.body.txHash], [201, done.body.txHash])
    assert.equal(locks(story.gigId).length, 1)
  })

  const refusals: [string, number, string, (story: Awaited<ReturnType<typeof newGig>>) => Promise<{ status: number; body: { code: string } }>][] = [
    ['another amount than the budget', 400, 'AMOUNT_MISMATCH', s => lockFunds(world, { ...s, amount: usdc(12) })],
    ['somebody who is not the poster', 403, 'NOT_POSTER', s => lockFunds(world, { ...s, poster: s.worker })],
    ['an unknown gig', 404, 'NOT_FOUND', s => lockFunds(world, { ...s, gigId: randomUUID() })],
    [
      'a gig that is over',
      409,
      'INVALID_STATE',
      s => {
        s.row.status = 'cancelled'
        return lockFunds(world, s)
      },
    ],
    [
      'a gig on which the panel votes',
      409,
      'INVALID_STATE',
      s => {
        s.row.status = 'pending_validation'
        world.validations.set(s.gigId, [validationRow(s, { votes: [{ voterId: randomUUID(), vote: 'approve' }] })])
        return lockFunds(world, s)
      },
    ],
    ['a negative amount', 400, 'VALIDATION_ERROR', s => lockFunds(world, { ...s, amount: -1n })],
    [
      'more than the cap of a gig',
      400,
      'CAP_EXCEEDED',
      async s => lockFunds(world, { ...Object.assign(s, { row: Object.assign(s.row, { budget: String(usdc(50_001)) }) }), amount: usdc(50_001) }),
    ],
  ]
  for (const [title, status, code, ask] of refusals) {
    it(`refuses ${title}`, async () => {
      const story = await newGig(world)

      const answer = await ask(story)

      assert.deepEqual([answer.status, answer.body.code], [status, code])
      assert.equal(locks(story.gigId).length, 0)
    })
  }

  it('says what to do when no source covers it, and changes nothing', async () => {
    const story = await poor()

    const { status, body } = await lockFunds(world, story)

    assert.deepEqual([status, body.code], [402, 'FUNDS_REQUIRED'])
    const { allowance, treasury, x402, onchain } = body.details.options
    assert.deepEqual(
      [allowance.spender, allowance.amount, treasury.missing, x402.endpoint],
      [contracts.escrow, 40, 40, '/api/agent-payments/fund-escrow'],
    )
    assert.equal(onchain.gigKey, onChainKey(story.gigId))
    assert.equal((await world.platform.call('GET', `/api/escrow/${story.gigId}`)).status, 404)
  })

  it('answers fund-escrow without a source, or without headers, with the challenge for the budget', async () => {
    const story = await poor()

    for (const headers of [{}, story.poster.headers]) {
      const { status, body } = await fund(story.gigId, story.poster.id, headers)
      assert.equal(status, 402)
      assert.deepEqual([body.paymentRequired, body.amount, body.currency, body.scheme, body.code], [true, '40', 'USDC', 'exact', 'PAYMENT_REQUIRED'])
      assert.match(body.nonce, /^0x[0-9a-f]{64}$/)
      assert.equal(body.success, undefined)
      assert.equal(body.details?.options.allowance.walletBalance, 'x-agent-id' in headers ? 0 : undefined)
    }
    const other = await fund(story.gigId, story.worker.id, story.poster.headers)
    assert.deepEqual([other.status, other.body.code], [403, 'FORBIDDEN'])
  })

  it('draws on the custodial wallet last, under the key of the command', async () => {
    const story = await poor()
    const custodial = newWallet()
    world.custodial.set(story.poster.id, custodial)
    world.balances.set(`${story.chain}/${custodial}`, usdc(40))

    const { status, body } = await fund(story.gigId, story.poster.id, story.poster.headers)

    assert.deepEqual([status, body.funded, body.escrow.fundedFrom], [200, true, { kind: 'treasury', address: custodial }])
    assert.deepEqual(
      world.reservations.filter(({ key }) => key.endsWith(story.gigId)),
      [{ key: `escrow.lock:${story.gigId}`, round: 1 }],
    )
  })

  it('goes back to nothing when the treasury refuses, and the next try is the next round', async () => {
    const story = await poor()
    const custodial = newWallet()
    world.custodial.set(story.poster.id, custodial)
    world.balances.set(`${story.chain}/${custodial}`, usdc(40))
    world.treasuryRefuses = 'DAILY_LIMIT_REACHED'

    const refused = await lockFunds(world, story)
    world.treasuryRefuses = undefined
    const locked = await lockFunds(world, story)

    assert.deepEqual([refused.status, refused.body.code, locked.status], [402, 'FUNDS_REQUIRED', 201])
    assert.deepEqual(
      locks(story.gigId).map(({ round }) => round),
      [2],
    )
  })

  it('is free again after a terminal failure on chain', async () => {
    const story = await newGig(world)
    world.chain = ({ kind, round }) => (kind === 'escrow.lock' && round === 1 ? 'fail' : 'confirm')

    const failed = await lockFunds(world, story)
    const again = await lockFunds(world, story)

    assert.deepEqual([failed.status, failed.body.code, again.status], [402, 'FUNDS_REQUIRED', 201])
    assert.deepEqual(
      locks(story.gigId).map(({ round }) => round),
      [1, 2],
    )
  })

  it('takes a signed authorisation first', async () => {
    const story = await newGig(world)
    const authorization = { type: 'eip3009', validBefore: Math.floor(Date.now() / 1000) + 600, signature: `0x${'12'.repeat(65)}` }

    await world.platform.call('POST', '/api/escrow/create', {
      body: { gigId: story.gigId, amount: 40, authorization },
      headers: story.poster.headers,
    })

    const [command] = locks(story.gigId)
    assert.equal((command!.args.source as { kind: string }).kind, 'authorization')
    assert.equal((await untilStatus(world, story.gigId, 'locked')).fundedFrom.kind, 'authorization')
  })

  it('refunds what was locked for a gig that is cancelled meanwhile', async () => {
    const story = await newGig(world)
    world.chain = ({ kind }) => (kind === 'escrow.lock' ? 'wait' : 'confirm')
    const pending = await world.platform.call('POST', '/api/escrow/create', {
      body: { gigId: story.gigId, amount: 40 },
      headers: { ...story.poster.headers, prefer: 'respond-async' },
    })
    await world.platform.publish(told.cancelled(story))
    const command = await until('the command', () => locks(story.gigId)[0])

    await world.outcome(command, 'confirm')

    assert.deepEqual([pending.status, pending.body.escrow.status], [202, 'funding'])
    await untilStatus(world, story.gigId, 'refunded')
  })

  it('accepts a lock that the poster made on the contract itself, and leaves one that does not fit', async () => {
    const [fits, stranger] = [await newGig(world), await newGig(world)]
    const hash = newHash()
    const log = (gigId: string, poster: string) => ({
      contract: 'Escrow',
      event: 'EscrowLocked',
      args: { key: onChainKey(gigId), poster, payee: zero, amount: String(usdc(40)) },
      address: contracts.escrow,
      logIndex: 0,
    })
    world.transactions.set(hash, { from: fits.poster.wallet, logs: [log(fits.gigId, fits.poster.wallet)], final: true })
    const confirm = (gigId: string, headers: Record<string, string>) =>
      world.platform.call('POST', '/api/escrow/confirm-onchain', { body: { gigId, txHash: hash }, headers })

    const unknown = await world.platform.call('POST', '/api/escrow/confirm-onchain', {
      body: { gigId: fits.gigId, txHash: newHash() },
      headers: fits.poster.headers,
    })
    const wrongGig = await confirm(stranger.gigId, stranger.poster.headers)
    const outsider = await confirm(fits.gigId, stranger.poster.headers)
    const confirmed = await confirm(fits.gigId, fits.poster.headers)
    const again = await confirm(fits.gigId, fits.poster.headers)
    const seen = api.chainEvent('Escrow', 'EscrowLocked')
    const at = { network: 'BASE_SEPOLIA' as const, txHash: newHash(), blockNumber: 3, blockHash: newHash(), blockTime: 1, final: true }
    await world.platform.publish(seen.of({ ...log(stranger.gigId, stranger.worker.wallet), ...at, logId: 'x' }))

    assert.deepEqual([unknown.status, unknown.body.code], [409, 'CONFLICT'])
    assert.deepEqual([wrongGig.status, outsider.status], [400, 403])
    assert.deepEqual(
      [confirmed.status, confirmed.body.escrow.status, confirmed.body.escrow.fundedFrom.kind, confirmed.body.escrow.txHash],
      [200, 'locked', 'onchain', hash],
    )
    assert.deepEqual([again.status, again.body.escrow.txHash], [200, hash])
    assert.equal((await world.platform.call('GET', `/api/escrow/${stranger.gigId}`)).status, 404)
  })

  it('is gone when it fails after a reorganisation, and can be made again', async () => {
    const story = await newGig(world)
    await lockFunds(world, story)
    const command = world.commands.find(({ opKey }) => opKey === `escrow.lock:${story.gigId}`)!
    await world.outcome(command, 'reorg', '', 2)
    await untilStatus(world, story.gigId, 'funding')
    await world.outcome(command, 'fail', 'REVERTED', 3)
    await until('it is gone', async () => (await world.platform.call('GET', `/api/escrow/${story.gigId}`)).status === 404)
    await world.outcome(command, 'confirm')

    const again = await lockFunds(world, story)

    assert.deepEqual([again.status, again.body.escrow.status], [201, 'locked'])
    assert.equal(world.commands.findLast(({ opKey }) => opKey === command.opKey)!.round, 2)
  })

  it('answers 202 to a poster who asks for a direct lock that is not accepted on chain yet, and 200 once it is', async function () {
    this.timeout(40_000)
    const story = await newGig(world)
    const hash = newHash()
    const args = { key: onChainKey(story.gigId), poster: story.poster.wallet, payee: zero, amount: String(usdc(40)) }
    const log = { contract: 'Escrow', event: 'EscrowLocked', args, address: contracts.escrow, logIndex: 0 }
    world.transactions.set(hash, { from: story.poster.wallet, logs: [log], final: true })
    world.chain = () => 'wait'
    const confirm = () =>
      world.platform.call('POST', '/api/escrow/confirm-onchain', { body: { gigId: story.gigId, txHash: hash }, headers: story.poster.headers })

    const [first, second] = await Promise.all([confirm(), until('it is known', () => world.commands.at(-1)?.kind === 'escrow.accept').then(confirm)])
    await world.outcome(world.commands.find(({ opKey }) => opKey === `escrow.accept:${story.gigId}`)!, 'confirm')
    await untilStatus(world, story.gigId, 'locked')
    const third = await confirm()

    assert.deepEqual([first.status, second.status, third.status], [202, 202, 200])
    assert.deepEqual([second.body.escrow.status, third.body.escrow.status], ['funding', 'locked'])
  })

  it('refuses what waits for it as retryable, and the same key succeeds once it is confirmed', async () => {
    const story = await newGig(world)
    world.chain = () => 'wait'
    await lockFunds(world, story, { prefer: 'respond-async' })
    await world.platform.publish(told.assigned(story))
    await world.platform.publish(told.submitted(story))
    const lock = await until('its command is sent', () => locks(story.gigId)[0])
    const headers = { ...story.worker.headers, 'idempotency-key': randomUUID() }
    const dispute = () => world.platform.call('POST', '/api/escrow/dispute', { body: { gigId: story.gigId, reason: 'It is wrong' }, headers })
    const receipt = () =>
      world.platform.call('POST', '/api/trust-receipts', { body: { gigId: story.gigId, agentId: story.worker.id }, headers: story.worker.headers })
    const second = await lockFunds(world, story)

    const early = await dispute()
    await world.outcome(lock, 'confirm')
    await untilStatus(world, story.gigId, 'locked')

    assert.deepEqual([early.status, early.body.code, early.body.retryable], [409, 'INVALID_STATE', true])
    assert.deepEqual([second.status, second.body.code, second.body.retryable], [409, 'ALREADY_EXISTS', true])
    assert.deepEqual([(await lockFunds(world, story)).body.retryable, (await receipt()).body.retryable], [undefined, undefined])
    assert.equal((await dispute()).status, 200)
  })

  it('never passes the cap on all escrows together', async function () {
    this.timeout(60_000)
    const capacity = async () => (await world.platform.call('GET', '/api/escrow/tvl-capacity')).body
    const before = await capacity()
    const stories = await Promise.all(Array.from({ length: 12 }, () => newGig(world, { budget: 50_000 })))

    const answers = await Promise.all(stories.map(story => lockFunds(world, story)))

    const after = await capacity()
    const done = answers.filter(({ status }) => status === 201).length
    assert.ok(
      answers.every(({ status, body }) => status === 201 || body.code === 'TVL_CAP_REACHED' || body.code === 'CONFLICT'),
      JSON.stringify(answers.map(({ body }) => body.code)),
    )
    assert.ok(done >= 8 && after.currentTvl <= 500_000, `${done} locks, ${after.currentTvl} locked`)
    assert.ok(Math.abs(after.currentTvl - before.currentTvl - done * 50_000) < 1e-6)
    for (const story of stories) await world.platform.publish(told.cancelled(story))
    await until('all is given back', async () => (await capacity()).currentTvl === before.currentTvl, 30)
    assert.equal((await escrowOf(world, stories[0]!.gigId)).amount, 50_000)
  })
})
