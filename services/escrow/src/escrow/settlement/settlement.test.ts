import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Draft } from '@carapace/api'
import { daySeconds, doctorChecks, hourSeconds, newWallet } from '@carapace/testing'
import fc from 'fast-check'
import { oracle, until } from '../../testing/harness.ts'
import { deliveredGig, escrowOf, eventOf, lockFunds, newGig, type Scenario, untilStatus, validationRow } from '../../testing/scenario.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'

describe('settlement of a gig', () => {
  const harness = sharedHarness()

  const kinds = (scenario: Scenario) => harness.commands.filter(({ opKey }) => opKey.includes(scenario.gigId)).map(({ kind }) => kind)
  const post = (path: string, body: object, headers: Record<string, string>) => harness.platform.call('POST', path, { body, headers })
  const receiptOf = (gigId: string) => harness.platform.call('GET', `/api/trust-receipts/gigs/${gigId}`)
  const frozenUntil = () => ({
    frozen: true,
    disputeReason: 'New account cluster',
    appealUntil: new Date(Date.now() + 48 * hourSeconds * 1000).toISOString(),
  })

  it('ends in the same state with the same payments for any order, and any repeats, of the same events', async function () {
    this.timeout(120_000)
    const scenarios: { [name: string]: { events: (s: Scenario) => Draft[]; end: string } } = {
      approved: { events: s => [eventOf.posted(s), eventOf.assigned(s), eventOf.submitted(s), eventOf.resolved(s, 'approved')], end: 'released' },
      rejected: { events: s => [eventOf.posted(s), eventOf.assigned(s), eventOf.submitted(s), eventOf.resolved(s, 'rejected')], end: 'refunded' },
      appealed: {
        events: s => {
          const appealId = randomUUID()
          return [
            eventOf.assigned(s),
            eventOf.submitted(s),
            eventOf.resolved(s, 'rejected', frozenUntil()),
            eventOf.frozen(s),
            eventOf.appealFiled(s, appealId),
            eventOf.appealClosed(s, appealId, 'won'),
          ]
        },
        end: 'released',
      },
    }
    for (const { events, end } of Object.values(scenarios)) {
      await fc.assert(
        fc.asyncProperty(fc.infiniteStream(fc.nat()), async seeds => {
          const scenario = await newGig(harness)
          const drafts = events(scenario)
          Object.assign(scenario.row, { status: 'open', assigneeId: null, feeBp: null })
          const lock = lockFunds(harness, scenario)
          const all = [...drafts, ...drafts.slice(0, 2)].map(draft => ({ draft, at: seeds.next().value! })).sort((a, b) => a.at - b.at)
          await lock
          for (const { draft } of all) await harness.platform.publish(draft)

          const escrow = await untilStatus(harness, scenario.gigId, end)

          assert.equal(kinds(scenario).filter(kind => kind === 'escrow.settle').length, 1)
          if (end === 'released') assert.deepEqual([escrow.fee, escrow.net], [1.2, 38.8])
        }),
        { numRuns: 6, includeErrorInReport: true },
      )
    }
  })

  it('pays the assignee after an approved verdict and issues the receipt', async () => {
    const scenario = await deliveredGig(harness)

    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))

    const escrow = await untilStatus(harness, scenario.gigId, 'released')
    assert.deepEqual([escrow.fee, escrow.net, escrow.split], [1.2, 38.8, { treasury: 0, external: 38.8 }])
    const receipt = await until('the receipt', async () => {
      const { status, body } = await receiptOf(scenario.gigId)
      return status === 200 && body
    })
    assert.deepEqual([receipt.budget, receipt.platformFee, receipt.netPaid, receipt.verdict], [40, 1.2, 38.8, 'APPROVED'])
    assert.deepEqual([receipt.txHash, receipt.validationConsensus, receipt.validatorCount], [escrow.releaseTxHash, 100, 2])
    assert.deepEqual(kinds(scenario), ['escrow.lock', 'escrow.payee', 'escrow.settle'])
    const receiptsOf = (name: string) => harness.platform.call('GET', `/api/trust-receipts/agent/${name}`)
    for (const name of [scenario.worker.id, scenario.worker.handle, scenario.poster.handle])
      assert.deepEqual((await receiptsOf(name)).body.receipts, [receipt], name)
    assert.equal((await receiptsOf('no-such-agent')).status, 404)
    const { body } = await harness.platform.call('GET', `/api/agents/${scenario.worker.id}/earnings`)
    assert.deepEqual([body.totalEarned, body.history[0].gigId], [38.8, scenario.gigId])
  })

  it('pays half of the net to a custodial wallet, the odd micro to the own one', async () => {
    const scenario = await newGig(harness, { budget: 33.333333 })
    const custodial = newWallet()
    harness.custodial.set(scenario.worker.id, custodial)
    await lockFunds(harness, scenario)
    await harness.platform.publish(eventOf.assigned(scenario, 275))
    await harness.platform.publish(eventOf.submitted(scenario))

    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))

    const escrow = await untilStatus(harness, scenario.gigId, 'released')
    assert.deepEqual([escrow.fee, escrow.net, escrow.split], [0.916667, 32.416666, { treasury: 16.208333, external: 16.208333 }])
    const settle = harness.commands.find(({ opKey }) => opKey === `escrow.settle:${scenario.gigId}`)!
    assert.deepEqual(settle.args.outcome, { kind: 'release', fee: '916667', splitTo: custodial, splitAmount: '16208333' })
  })

  const stuck = async () => {
    const checks = await doctorChecks(harness.platform, 'escrow')
    return checks.find(({ name }) => name === 'stuck')!.count
  }

  it('names the payee to the contract again when that failed after the payout was decided', async () => {
    const scenario = await newGig(harness)
    await lockFunds(harness, scenario)
    harness.chain = ({ kind }) => (kind === 'escrow.payee' || kind === 'escrow.settle' ? 'wait' : 'confirm')
    for (const draft of [eventOf.assigned(scenario), eventOf.submitted(scenario), eventOf.resolved(scenario, 'approved')])
      await harness.platform.publish(draft)
    const sent = (kind: string) => harness.commands.find(command => command.kind === kind && command.opKey.includes(scenario.gigId))
    await until('both are sent', () => sent('escrow.payee') && sent('escrow.settle'))

    await harness.outcome(sent('escrow.payee')!, 'fail', 'OUT_OF_GAS')
    await harness.outcome(sent('escrow.settle')!, 'fail', 'REVERTED')
    await until('it will be tried again', async () => (await escrowOf(harness, scenario.gigId)).nextDeadline?.action === 'retry')
    harness.chain = () => 'confirm'
    const { nextDeadline } = await escrowOf(harness, scenario.gigId)
    assert.ok(Date.parse(nextDeadline!.at) - harness.platform.service('escrow').platform.clock.now().getTime() <= 60_000)
    assert.equal(await stuck(), 1, 'an operator sees it immediately')
    await harness.platform.advance(61)

    await untilStatus(harness, scenario.gigId, 'released')
    assert.deepEqual(kinds(scenario), ['escrow.lock', 'escrow.payee', 'escrow.settle', 'escrow.approve', 'escrow.payee', 'escrow.settle'])
    assert.equal(await stuck(), 0)
  })

  it('is disputed again by a retry of the same request only', async () => {
    const scenario = await deliveredGig(harness)
    const dispute = (headers: object = {}) =>
      harness.platform.call('POST', '/api/escrow/dispute', {
        body: { gigId: scenario.gigId, reason: 'Late' },
        headers: { ...scenario.poster.headers, ...headers },
      })
    const key = { 'idempotency-key': randomUUID() }
    const first = await dispute(key)
    await harness.platform.forgetAnswers('escrow')

    const [retried, other] = [await dispute(key), await dispute()]

    assert.deepEqual([first.status, retried.status, retried.body.escrow.status, other.status], [200, 200, 'disputed', 409])
  })

  it('sends the money back after a rejection', async () => {
    const scenario = await deliveredGig(harness)

    await harness.platform.publish(eventOf.resolved(scenario, 'rejected'))

    await untilStatus(harness, scenario.gigId, 'refunded')
    assert.equal((await receiptOf(scenario.gigId)).status, 404)
  })

  it('holds a frozen rejection and pays when the appeal is won', async () => {
    const scenario = await deliveredGig(harness)
    await harness.platform.publish(eventOf.resolved(scenario, 'rejected', frozenUntil()))
    await until('it is held', async () => (await escrowOf(harness, scenario.gigId)).nextDeadline?.action === 'refund')
    const appealId = randomUUID()

    await harness.platform.publish(eventOf.appealFiled(scenario, appealId))
    await until('the appeal is known', async () => (await escrowOf(harness, scenario.gigId)).nextDeadline?.action === 'appeal')
    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'locked')
    await harness.platform.publish(eventOf.appealClosed(scenario, appealId, 'won'))

    await untilStatus(harness, scenario.gigId, 'released')
    const receipt = await until('the receipt', async () => {
      const { status, body } = await receiptOf(scenario.gigId)
      return status === 200 && body
    })
    assert.deepEqual([receipt.validationConsensus, receipt.validatorCount], [60, 5])
  })

  it('refunds a frozen rejection when the appeal is lost', async () => {
    const scenario = await deliveredGig(harness)
    const appealId = randomUUID()
    for (const draft of [
      eventOf.resolved(scenario, 'rejected', frozenUntil()),
      eventOf.appealFiled(scenario, appealId),
      eventOf.appealClosed(scenario, appealId, 'lost', true),
    ])
      await harness.platform.publish(draft)

    await untilStatus(harness, scenario.gigId, 'refunded')
  })

  it('pays only a deliverer: the oracle cannot release a gig without delivery, then it can, once', async () => {
    const scenario = await newGig(harness)
    await lockFunds(harness, scenario)
    await harness.platform.publish(eventOf.assigned(scenario))
    await until('the assignee is known', async () => (await escrowOf(harness, scenario.gigId)).payeeId === scenario.worker.id)
    const release = (headers: Record<string, string>) => post('/api/escrow/release', { gigId: scenario.gigId }, headers)

    const early = await release(oracle)
    await harness.platform.publish(eventOf.submitted(scenario))
    const [stranger, poster] = [await release(scenario.worker.headers), await release(scenario.poster.headers)]
    const first = await until('it is released', async () => {
      const answer = await release(oracle)
      return answer.status === 200 && answer
    })
    const again = await release(oracle)

    assert.deepEqual([early.status, early.body.code], [409, 'INVALID_STATE'])
    assert.deepEqual([stranger.status, stranger.body.code], [403, 'NOT_POSTER'])
    assert.deepEqual([poster.status, poster.body.code], [403, 'FORBIDDEN'])
    assert.deepEqual([again.status, again.body], [200, first.body])
    assert.equal(kinds(scenario).filter(kind => kind === 'escrow.settle').length, 1)
    const receipt = await until('its receipt is issued', async () => {
      const { status, body } = await receiptOf(scenario.gigId)
      return status === 200 && body
    })
    assert.deepEqual([receipt.verdict, receipt.validationConsensus, receipt.validatorCount], ['ORACLE', 0, 0], 'nobody voted')
  })

  it('lets a party dispute and an admin decide either way', async () => {
    for (const releaseToPayee of [true, false]) {
      const scenario = await deliveredGig(harness)
      const disputed = await post('/api/escrow/dispute', { gigId: scenario.gigId, reason: 'Not what was asked' }, scenario.poster.headers)
      const again = await post('/api/escrow/dispute', { gigId: scenario.gigId, reason: 'Again' }, scenario.worker.headers)
      const stranger = await post('/api/escrow/dispute', { gigId: scenario.gigId, reason: 'Me too' }, (await newGig(harness)).poster.headers)
      await harness.platform.publish(eventOf.resolved(scenario, releaseToPayee ? 'rejected' : 'approved'))

      const resolved = await post('/api/escrow/admin-resolve', { gigId: scenario.gigId, releaseToPayee, reason: 'Seen' }, oracle)

      assert.deepEqual(
        [disputed.body.escrow.status, disputed.body.escrow.disputeReason, disputed.body.escrow.disputedBy],
        ['disputed', 'Not what was asked', scenario.poster.id],
      )
      assert.deepEqual([again.status, again.body.code, stranger.status, stranger.body.code], [409, 'INVALID_STATE', 403, 'NOT_PARTY'])
      assert.equal(resolved.status, 200)
      assert.equal(resolved.body.escrow.status, releaseToPayee ? 'released' : 'refunded')
      assert.equal(kinds(scenario).includes('escrow.dispute'), true)
    }
  })

  it('follows the votes 14 days after a raised threshold was missed, and else sends the money back', async () => {
    const cases = [
      { approvals: 4, rejections: 0, thresholdRaised: true, end: 'released' },
      { approvals: 2, rejections: 2, thresholdRaised: true, end: 'refunded' },
      { approvals: 4, rejections: 0, thresholdRaised: false, end: 'refunded' },
    ] as const
    const scenarios = []
    for (const { end, ...extra } of cases) {
      const scenario = await deliveredGig(harness)
      await harness.platform.publish(eventOf.expired(scenario, extra))
      const { status, disputeReason } = await untilStatus(harness, scenario.gigId, 'disputed')
      assert.deepEqual([status, disputeReason], ['disputed', 'No validator consensus'])
      scenarios.push({ scenario, end })
    }

    await harness.platform.advance(14 * daySeconds + 60)

    for (const { scenario, end } of scenarios) await untilStatus(harness, scenario.gigId, end)
  })

  it('refuses to resolve what is not disputed', async () => {
    const scenario = await deliveredGig(harness)

    const answer = await post('/api/escrow/admin-resolve', { gigId: scenario.gigId, releaseToPayee: false, reason: 'No' }, oracle)

    assert.deepEqual([answer.status, answer.body.code], [409, 'INVALID_STATE'])
  })

  it('tries a failed payout again after one minute as the next round, not before, and marks the slot', async () => {
    const scenario = await deliveredGig(harness)
    harness.chain = ({ kind, round }) => (kind === 'escrow.settle' && round === 1 ? 'fail' : 'confirm')

    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    const failed = await until('the failure', async () => {
      const escrow = await escrowOf(harness, scenario.gigId)
      return escrow.onChain.status === 'failed' && escrow
    })
    const rounds = () => harness.commands.filter(({ opKey }) => opKey.startsWith(`escrow.settle:${scenario.gigId}`)).map(({ round }) => round)
    const { at, action } = failed.nextDeadline
    const leftMs = () => Date.parse(at) - harness.platform.service('escrow').platform.clock.now().getTime()
    assert.deepEqual([failed.status, action, leftMs() > 30_000 && leftMs() <= 60_000], ['releasing', 'retry', true])
    await harness.platform.advance(Math.floor(leftMs() / 1000) - 25)
    await harness.platform.service('escrow').runJobs()
    assert.deepEqual([(await escrowOf(harness, scenario.gigId)).status, rounds()], ['releasing', [1]])

    await harness.platform.advance(26)

    await untilStatus(harness, scenario.gigId, 'released')
    assert.deepEqual(rounds(), [1, 2])
    assert.ok(kinds(scenario).includes('escrow.approve'))
  })

  it('lets time decide: a weak rejection after 14 days, unless the swarm knows of an appeal', async () => {
    const [plain, appealed] = [await deliveredGig(harness), await deliveredGig(harness)]
    for (const scenario of [plain, appealed]) {
      await harness.platform.publish(eventOf.resolved(scenario, 'rejected', { weak: true, ...frozenUntil() }))
      await untilStatus(harness, scenario.gigId, 'disputed')
    }
    harness.validations.set(appealed.gigId, [validationRow(appealed, { validationId: randomUUID(), appealOf: appealed.validationId })])

    await harness.platform.advance(15 * daySeconds)

    await untilStatus(harness, plain.gigId, 'refunded')
    assert.equal((await escrowOf(harness, appealed.gigId)).status, 'disputed')
  })

  it('closes an unfunded gig by its verdict: nothing can be locked any more', async () => {
    const scenario = await newGig(harness)
    for (const draft of [eventOf.posted(scenario), eventOf.assigned(scenario), eventOf.submitted(scenario), eventOf.resolved(scenario, 'approved')])
      await harness.platform.publish(draft)
    await untilStatus(harness, scenario.gigId, 'unfunded')
    scenario.row.status = 'pending_validation'

    const answer = await lockFunds(harness, scenario)

    assert.deepEqual([answer.status, answer.body.code], [409, 'INVALID_STATE'])
  })
})
