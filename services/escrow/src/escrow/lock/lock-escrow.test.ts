import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { newHash, newWallet } from '@carapace/testing'
import { contracts, until, usdc } from '../../testing/harness.ts'
import { escrowOf, eventOf, lockFunds, newGig, untilStatus, validationRow } from '../../testing/scenario.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'

const zero = `0x${'0'.repeat(40)}`

describe('locking a budget', () => {
  const harness = sharedHarness({ env: { X402_PAY_TO_ADDRESS: `0x${'77'.repeat(20)}` } })

  const poor = async (options: Parameters<typeof newGig>[1] = {}) => {
    const scenario = await newGig(harness, options)
    harness.balances.delete(`${scenario.chain}/${scenario.poster.wallet}`)
    return scenario
  }
  const fund = (gigId: string, agentId: string, headers: Record<string, string> = {}) =>
    harness.platform.call('POST', '/api/agent-payments/fund-escrow', { body: { gigId, agentId }, headers })
  const locks = (gigId: string) => harness.commands.filter(({ opKey }) => opKey === `escrow.lock:${gigId}`)

  it('answers the locked escrow with its transaction', async () => {
    const scenario = await newGig(harness)

    const { status, body } = await lockFunds(harness, scenario)

    assert.equal(status, 201)
    assert.deepEqual(
      [body.escrow.status, body.escrow.amount, body.escrow.fundedFrom],
      ['locked', 40, { kind: 'allowance', address: scenario.poster.wallet }],
    )
    assert.match(body.txHash, /^0x[0-9a-f]{64}$/)
    assert.equal(body.escrow.depositAddress, contracts.escrow)
  })

  it('answers once the gig shows it', async () => {
    const scenario = await newGig(harness)
    let shows: api.Gig['escrowStatus'] = 'none'
    let requests = 0
    harness.gigShows = () => {
      requests++
      return shows
    }
    let isAnswered = false

    const locking = lockFunds(harness, scenario).finally(() => {
      isAnswered = true
    })
    await until('the gig was read again', () => requests > 1)
    const early = isAnswered
    shows = 'locked'
    const { status } = await locking
    harness.gigShows = () => api.refuse('DEPENDENCY_UNAVAILABLE')

    assert.deepEqual([early, status], [false, 201])
  })

  it('locks once for three equal requests without a key, the others are refused', async () => {
    const scenario = await newGig(harness)

    const answers = await Promise.all([1, 2, 3].map(() => lockFunds(harness, scenario)))

    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
    assert.ok(answers.every(({ status, body }) => status === 201 || body.code === 'ALREADY_EXISTS'))
    assert.equal(locks(scenario.gigId).length, 1)
  })

  it('locks once for two equal requests with one key', async () => {
    const scenario = await newGig(harness)
    const key = { 'idempotency-key': `"${scenario.gigId}"` }

    const answers = await Promise.all([1, 2].map(() => lockFunds(harness, scenario, key)))
    const replayed = await lockFunds(harness, scenario, key)

    const done = answers.find(({ status }) => status === 201)!
    for (const { status, body } of answers) assert.ok(status === 201 ? body.txHash === done.body.txHash : status === 409, String(status))
    assert.deepEqual([replayed.status, replayed.body.txHash], [201, done.body.txHash])
    assert.equal(locks(scenario.gigId).length, 1)
  })

  const refusals: [string, number, string, (scenario: Awaited<ReturnType<typeof newGig>>) => Promise<{ status: number; body: { code: string } }>][] =
    [
      ['another amount than the budget', 400, 'AMOUNT_MISMATCH', s => lockFunds(harness, { ...s, amount: usdc(12) })],
      ['somebody who is not the poster', 403, 'NOT_POSTER', s => lockFunds(harness, { ...s, poster: s.worker })],
      ['an unknown gig', 404, 'NOT_FOUND', s => lockFunds(harness, { ...s, gigId: randomUUID() })],
      [
        'a gig that is over',
        409,
        'INVALID_STATE',
        s => {
          s.row.status = 'cancelled'
          return lockFunds(harness, s)
        },
      ],
      [
        'a gig on which the panel votes',
        409,
        'INVALID_STATE',
        s => {
          s.row.status = 'pending_validation'
          harness.validations.set(s.gigId, [validationRow(s, { votes: [{ voterId: randomUUID(), vote: 'approve' }] })])
          return lockFunds(harness, s)
        },
      ],
      ['a negative amount', 400, 'VALIDATION_ERROR', s => lockFunds(harness, { ...s, amount: -1n })],
      [
        'more than the cap of a gig',
        400,
        'CAP_EXCEEDED',
        async s => lockFunds(harness, { ...Object.assign(s, { row: Object.assign(s.row, { budget: String(usdc(50_001)) }) }), amount: usdc(50_001) }),
      ],
    ]
  for (const [title, status, code, send] of refusals) {
    it(`refuses ${title}`, async () => {
      const scenario = await newGig(harness)

      const answer = await send(scenario)

      assert.deepEqual([answer.status, answer.body.code], [status, code])
      assert.equal(locks(scenario.gigId).length, 0)
    })
  }

  it('says what to do when no source covers it, and changes nothing', async () => {
    const scenario = await poor()

    const { status, body } = await lockFunds(harness, scenario)

    assert.deepEqual([status, body.code], [402, 'FUNDS_REQUIRED'])
    const { allowance, treasury, x402, onchain } = body.details.options
    assert.deepEqual([allowance.spender, allowance.amount, treasury.missing, x402.reason], [contracts.escrow, 40, 40, 'NOT_SENT'])
    assert.equal(onchain.gigKey, onChainKey(scenario.gigId))
    assert.equal((await harness.platform.call('GET', `/api/escrow/${scenario.gigId}`)).status, 404)
  })

  it('refuses fund-escrow without a source, or without headers, with what the caller may see of its sources', async () => {
    const scenario = await poor()

    for (const headers of [{}, scenario.poster.headers]) {
      const { status, body } = await fund(scenario.gigId, scenario.poster.id, headers)
      assert.deepEqual([status, body.code], [402, 'FUNDS_REQUIRED'])
      assert.equal(body.details.options.allowance?.walletBalance, 'x-agent-id' in headers ? 0 : undefined)
    }
    const other = await fund(scenario.gigId, scenario.worker.id, scenario.poster.headers)
    assert.deepEqual([other.status, other.body.code], [403, 'FORBIDDEN'])
  })

  it('draws on the custodial wallet last, under the key of the command', async () => {
    const scenario = await poor()
    const custodial = newWallet()
    harness.custodial.set(scenario.poster.id, custodial)
    harness.balances.set(`${scenario.chain}/${custodial}`, usdc(40))

    const { status, body } = await fund(scenario.gigId, scenario.poster.id, scenario.poster.headers)

    assert.deepEqual([status, body.funded, body.escrow.fundedFrom], [200, true, { kind: 'treasury', address: custodial }])
    assert.deepEqual(
      harness.reservations.filter(({ key }) => key.endsWith(scenario.gigId)),
      [{ key: `escrow.lock:${scenario.gigId}`, round: 1 }],
    )
  })

  it('goes back to nothing when the treasury refuses, and the next try is the next round', async () => {
    const scenario = await poor()
    const custodial = newWallet()
    harness.custodial.set(scenario.poster.id, custodial)
    harness.balances.set(`${scenario.chain}/${custodial}`, usdc(40))
    harness.treasuryRefuses = 'DAILY_LIMIT_REACHED'

    const refused = await lockFunds(harness, scenario)
    harness.treasuryRefuses = undefined
    const locked = await lockFunds(harness, scenario)

    assert.deepEqual([refused.status, refused.body.code, locked.status], [402, 'FUNDS_REQUIRED', 201])
    assert.deepEqual(
      locks(scenario.gigId).map(({ round }) => round),
      [2],
    )
  })

  it('is free again after a terminal failure on chain', async () => {
    const scenario = await newGig(harness)
    harness.chain = ({ kind, round }) => (kind === 'escrow.lock' && round === 1 ? 'fail' : 'confirm')

    const failed = await lockFunds(harness, scenario)
    const again = await lockFunds(harness, scenario)

    assert.deepEqual([failed.status, failed.body.code, again.status], [402, 'FUNDS_REQUIRED', 201])
    assert.deepEqual(
      locks(scenario.gigId).map(({ round }) => round),
      [1, 2],
    )
  })

  it('uses a signed authorisation first', async () => {
    const scenario = await newGig(harness)
    const authorization = { type: 'eip3009', validBefore: Math.floor(Date.now() / 1000) + 600, signature: `0x${'12'.repeat(65)}` }

    await harness.platform.call('POST', '/api/escrow/create', {
      body: { gigId: scenario.gigId, amount: 40, authorization },
      headers: scenario.poster.headers,
    })

    const [command] = locks(scenario.gigId)
    assert.equal((command!.args.source as { kind: string }).kind, 'authorization')
    assert.equal((await untilStatus(harness, scenario.gigId, 'locked')).fundedFrom.kind, 'authorization')
  })

  it('refunds what was locked for a gig that is cancelled meanwhile', async () => {
    const scenario = await newGig(harness)
    harness.chain = ({ kind }) => (kind === 'escrow.lock' ? 'wait' : 'confirm')
    const pending = await harness.platform.call('POST', '/api/escrow/create', {
      body: { gigId: scenario.gigId, amount: 40 },
      headers: { ...scenario.poster.headers, prefer: 'respond-async' },
    })
    await harness.platform.publish(eventOf.cancelled(scenario))
    const command = await until('the command', () => locks(scenario.gigId)[0])

    await harness.outcome(command, 'confirm')

    assert.deepEqual([pending.status, pending.body.escrow.status], [202, 'funding'])
    await untilStatus(harness, scenario.gigId, 'refunded')
  })

  it('accepts a lock that the poster made on the contract itself, and leaves one that does not fit', async () => {
    const [fits, stranger] = [await newGig(harness), await newGig(harness)]
    const hash = newHash()
    const log = (gigId: string, poster: string) => ({
      contract: 'Escrow',
      event: 'EscrowLocked',
      args: { key: onChainKey(gigId), poster, payee: zero, amount: String(usdc(40)) },
      address: contracts.escrow,
      logIndex: 0,
    })
    harness.transactions.set(hash, { from: fits.poster.wallet, logs: [log(fits.gigId, fits.poster.wallet)], final: true })
    const confirm = (gigId: string, headers: Record<string, string>) =>
      harness.platform.call('POST', '/api/escrow/confirm-onchain', { body: { gigId, txHash: hash }, headers })

    const unknown = await harness.platform.call('POST', '/api/escrow/confirm-onchain', {
      body: { gigId: fits.gigId, txHash: newHash() },
      headers: fits.poster.headers,
    })
    const wrongGig = await confirm(stranger.gigId, stranger.poster.headers)
    const outsider = await confirm(fits.gigId, stranger.poster.headers)
    const confirmed = await confirm(fits.gigId, fits.poster.headers)
    const again = await confirm(fits.gigId, fits.poster.headers)
    const seen = api.chainEvent('Escrow', 'EscrowLocked')
    const at = { network: 'BASE_SEPOLIA' as const, txHash: newHash(), blockNumber: 3, blockHash: newHash(), blockTime: 1, final: true }
    await harness.platform.publish(seen.of({ ...log(stranger.gigId, stranger.worker.wallet), ...at, logId: 'x' }))

    assert.deepEqual([unknown.status, unknown.body.code], [409, 'CONFLICT'])
    assert.deepEqual([wrongGig.status, outsider.status], [400, 403])
    assert.deepEqual(
      [confirmed.status, confirmed.body.escrow.status, confirmed.body.escrow.fundedFrom.kind, confirmed.body.escrow.txHash],
      [200, 'locked', 'onchain', hash],
    )
    assert.deepEqual([again.status, again.body.escrow.txHash], [200, hash])
    assert.equal((await harness.platform.call('GET', `/api/escrow/${stranger.gigId}`)).status, 404)
  })

  it('fails after a reorganisation, and can be made again', async () => {
    const scenario = await newGig(harness)
    await lockFunds(harness, scenario)
    const command = harness.commands.find(({ opKey }) => opKey === `escrow.lock:${scenario.gigId}`)!
    await harness.outcome(command, 'reorg', '', 2)
    await untilStatus(harness, scenario.gigId, 'funding')
    await harness.outcome(command, 'fail', 'REVERTED', 3)
    await until('it is gone', async () => (await harness.platform.call('GET', `/api/escrow/${scenario.gigId}`)).status === 404)
    await harness.outcome(command, 'confirm')

    const again = await lockFunds(harness, scenario)

    assert.deepEqual([again.status, again.body.escrow.status], [201, 'locked'])
    assert.equal(harness.commands.findLast(({ opKey }) => opKey === command.opKey)!.round, 2)
  })

  it('answers 202 to a poster who confirms a direct lock that is not accepted on chain yet, and 200 once it is', async function () {
    this.timeout(120_000)
    const scenario = await newGig(harness)
    const hash = newHash()
    const args = { key: onChainKey(scenario.gigId), poster: scenario.poster.wallet, payee: zero, amount: String(usdc(40)) }
    const log = { contract: 'Escrow', event: 'EscrowLocked', args, address: contracts.escrow, logIndex: 0 }
    harness.transactions.set(hash, { from: scenario.poster.wallet, logs: [log], final: true })
    harness.chain = () => 'wait'
    const confirm = () =>
      harness.platform.call('POST', '/api/escrow/confirm-onchain', {
        body: { gigId: scenario.gigId, txHash: hash },
        headers: scenario.poster.headers,
      })

    const [first, second] = await Promise.all([
      confirm(),
      until('it is known', () => harness.commands.at(-1)?.kind === 'escrow.accept').then(confirm),
    ])
    await harness.outcome(harness.commands.find(({ opKey }) => opKey === `escrow.accept:${scenario.gigId}`)!, 'confirm')
    await untilStatus(harness, scenario.gigId, 'locked')
    const third = await confirm()

    assert.deepEqual([first.status, second.status, third.status], [202, 202, 200])
    assert.deepEqual([second.body.escrow.status, third.body.escrow.status], ['funding', 'locked'])
  })

  it('refuses what waits for it as retryable, and the same key succeeds once it is confirmed', async () => {
    const scenario = await newGig(harness)
    harness.chain = () => 'wait'
    await lockFunds(harness, scenario, { prefer: 'respond-async' })
    await harness.platform.publish(eventOf.assigned(scenario))
    await harness.platform.publish(eventOf.submitted(scenario))
    const lock = await until('its command is sent', () => locks(scenario.gigId)[0])
    const headers = { ...scenario.worker.headers, 'idempotency-key': randomUUID() }
    const dispute = () => harness.platform.call('POST', '/api/escrow/dispute', { body: { gigId: scenario.gigId, reason: 'It is wrong' }, headers })
    const receipt = () =>
      harness.platform.call('POST', '/api/trust-receipts', {
        body: { gigId: scenario.gigId, agentId: scenario.worker.id },
        headers: scenario.worker.headers,
      })
    const second = await lockFunds(harness, scenario)

    const early = await dispute()
    await harness.outcome(lock, 'confirm')
    await untilStatus(harness, scenario.gigId, 'locked')

    assert.deepEqual([early.status, early.body.code, early.body.retryable], [409, 'INVALID_STATE', true])
    assert.deepEqual([second.status, second.body.code, second.body.retryable], [409, 'ALREADY_EXISTS', true])
    assert.deepEqual([(await lockFunds(harness, scenario)).body.retryable, (await receipt()).body.retryable], [undefined, undefined])
    assert.equal((await dispute()).status, 200)
  })

  it('never passes the cap on all escrows together', async function () {
    this.timeout(120_000)
    const capacity = async () => (await harness.platform.call('GET', '/api/escrow/tvl-capacity')).body
    const before = await capacity()
    const scenarios = await Promise.all(Array.from({ length: 12 }, () => newGig(harness, { budget: 50_000 })))

    const answers = await Promise.all(scenarios.map(scenario => lockFunds(harness, scenario)))

    const after = await capacity()
    const done = answers.filter(({ status }) => status === 201).length
    assert.ok(
      answers.every(({ status, body }) => status === 201 || body.code === 'TVL_CAP_REACHED' || body.code === 'CONFLICT'),
      JSON.stringify(answers.map(({ body }) => body.code)),
    )
    assert.ok(done >= 8 && after.currentTvl <= 500_000, `${done} locks, ${after.currentTvl} locked`)
    assert.ok(Math.abs(after.currentTvl - before.currentTvl - done * 50_000) < 1e-6)
    for (const scenario of scenarios) await harness.platform.publish(eventOf.cancelled(scenario))
    await until('all is given back', async () => (await capacity()).currentTvl === before.currentTvl, 30)
    assert.equal((await escrowOf(harness, scenarios[0]!.gigId)).amount, 50_000)
  })
})
