import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Draft, escrowApi } from '@carapace/api'
import { newWallet } from '@carapace/testing'
import fc from 'fast-check'
import { sharedWorld } from '../testing/shared-world.ts'
import { deliveredGig, escrowOf, lockFunds, newGig, type Story, told, untilStatus, validationRow } from '../testing/story.ts'
import { oracle, until } from '../testing/world.ts'

const hourSeconds = 3_600
const daySeconds = 24 * hourSeconds

describe('settlement of a gig', () => {
  const world = sharedWorld()

  const kinds = (story: Story) => world.commands.filter(({ opKey }) => opKey.includes(story.gigId)).map(({ kind }) => kind)
  const post = (path: string, body: object, headers: Record<string, string>) => world.platform.call('POST', path, { body, headers })
  const receiptOf = (gigId: string) => world.platform.call('GET', `/api/trust-receipts/gigs/${gigId}`)
  const frozenUntil = () => ({
    frozen: true,
    disputeReason: 'New account cluster',
    appealUntil: new Date(Date.now() + 48 * hourSeconds * 1000).toISOString(),
  })

  it('ends in the same state with the same payments in whatever order, and however often, the same events come', async function () {
    this.timeout(60_000)
    const stories: { [name: string]: { events: (s: Story) => Draft[]; end: string } } = {
      approved: { events: s => [told.posted(s), told.assigned(s), told.submitted(s), told.resolved(s, 'approved')], end: 'released' },
      rejected: { events: s => [told.posted(s), told.assigned(s), told.submitted(s), told.resolved(s, 'rejected')], end: 'refunded' },
      appealed: {
        events: s => {
          const appealId = randomUUID()
          return [
            told.assigned(s),
            told.submitted(s),
            told.resolved(s, 'rejected', frozenUntil()),
            told.frozen(s),
            told.appealFiled(s, appealId),
            told.appealClosed(s, appealId, 'won'),
          ]
        },
        end: 'released',
      },
    }
    for (const { events, end } of Object.values(stories)) {
      await fc.assert(
        fc.asyncProperty(fc.infiniteStream(fc.nat()), async seeds => {
          const story = await newGig(world)
          const drafts = events(story)
          Object.assign(story.row, { status: 'open', assigneeId: null, feeBp: null })
          const lock = lockFunds(world, story)
          const all = [...drafts, ...drafts.slice(0, 2)].map(draft => ({ draft, at: seeds.next().value! })).sort((a, b) => a.at - b.at)
          await lock
          for (const { draft } of all) await world.platform.publish(draft)

          const escrow = await untilStatus(world, story.gigId, end)

          assert.equal(kinds(story).filter(kind => kind === 'escrow.settle').length, 1)
          if (end === 'released') assert.deepEqual([escrow.fee, escrow.net], [1.2, 38.8])
        }),
        { numRuns: 6, includeErrorInReport: true },
      )
    }
  })

  it('pays the assignee after an approved verdict and issues the receipt', async () => {
    const story = await deliveredGig(world)

    await world.platform.publish(told.resolved(story, 'approved'))

    const escrow = await untilStatus(world, story.gigId, 'released')
    assert.deepEqual([escrow.fee, escrow.net, escrow.split], [1.2, 38.8, { treasury: 0, external: 38.8 }])
    const receipt = await until('the receipt', async () => {
      const { status, body } = await receiptOf(story.gigId)
      return status === 200 && body
    })
    assert.deepEqual([receipt.budget, receipt.platformFee, receipt.netPaid, receipt.verdict], [40, 1.2, 38.8, 'APPROVED'])
    assert.deepEqual([receipt.txHash, receipt.validationConsensus, receipt.validatorCount], [escrow.releaseTxHash, 100, 2])
    assert.deepEqual(kinds(story), ['escrow.lock', 'escrow.payee', 'escrow.settle'])
    const receiptsOf = (name: string) => world.platform.call('GET', `/api/trust-receipts/agent/${name}`)
    for (const name of [story.worker.id, story.worker.handle, story.poster.handle])
      assert.deepEqual((await receiptsOf(name)).body.receipts, [receipt], name)
    assert.equal((await receiptsOf('no-such-agent')).status, 404)
    const { body } = await world.platform.call('GET', `/api/agents/${story.worker.id}/earnings`)
    assert.deepEqual([body.totalEarned, body.history[0].gigId], [38.8, story.gigId])
  })

  it('pays half of the net to a custodial wallet, the odd micro to the own one', async () => {
    const story = await newGig(world, { budget: 33.333333 })
    const custodial = newWallet()
    world.custodial.set(story.worker.id, custodial)
    await lockFunds(world, story)
    await world.platform.publish(told.assigned(story, 275))
    await world.platform.publish(told.submitted(story))

    await world.platform.publish(told.resolved(story, 'approved'))

    const escrow = await untilStatus(world, story.gigId, 'released')
    assert.deepEqual([escrow.fee, escrow.net, escrow.split], [0.916667, 32.416666, { treasury: 16.208333, external: 16.208333 }])
    const settle = world.commands.find(({ opKey }) => opKey === `escrow.settle:${story.gigId}`)!
    assert.deepEqual(settle.args.outcome, { kind: 'release', fee: '916667', splitTo: custodial, splitAmount: '16208333' })
  })

  const stuck = async () => {
    const { checks } = await world.platform.service('escrow').platform.peers.call('escrow', escrowApi.internal.doctorReport)
    return checks.find(({ name }) => name === 'stuck')!.count
  }

  it('tells the contract again whom to pay when that failed after the payout was decided', async () => {
    const story = await newGig(world)
    await lockFunds(world, story)
    world.chain = ({ kind }) => (kind === 'escrow.payee' || kind === 'escrow.settle' ? 'wait' : 'confirm')
    for (const draft of [told.assigned(story), told.submitted(story), told.resolved(story, 'approved')]) await world.platform.publish(draft)
    const sent = (kind: string) => world.commands.find(command => command.kind === kind && command.opKey.includes(story.gigId))
    await until('both are sent', () => sent('escrow.payee') && sent('escrow.settle'))

    await world.outcome(sent('escrow.payee')!, 'fail', 'OUT_OF_GAS')
    await world.outcome(sent('escrow.settle')!, 'fail', 'REVERTED')
    await until('it will be tried again', async () => (await escrowOf(world, story.gigId)).nextDeadline?.action === 'retry')
    world.chain = () => 'confirm'
    const { nextDeadline } = await escrowOf(world, story.gigId)
    assert.ok(Date.parse(nextDeadline!.at) - world.platform.service('escrow').platform.clock.now().getTime() <= 60_000)
    assert.equal(await stuck(), 1, 'an operator sees it at once')
    await world.platform.advance(61)

    await untilStatus(world, story.gigId, 'released')
    assert.deepEqual(kinds(story), ['escrow.lock', 'escrow.payee', 'escrow.settle', 'escrow.approve', 'escrow.payee', 'escrow.settle'])
    assert.equal(await stuck(), 0)
  })

  it('is disputed once more by a retry of the same request only', async () => {
    const story = await deliveredGig(world)
    const dispute = (headers: object = {}) =>
      world.platform.call('POST', '/api/escrow/dispute', {
        body: { gigId: story.gigId, reason: 'Late' },
        headers: { ...story.poster.headers, ...headers },
      })
    const key = { 'idempotency-key': randomUUID() }
    const first = await dispute(key)
    await world.platform.service('escrow').platform.db.connection.collection('idempotency').deleteMany({})

    const [retried, other] = [await dispute(key), await dispute()]

    assert.deepEqual([first.status, retried.status, retried.body.escrow.status, other.status], [200, 200, 'disputed', 409])
  })

  it('sends the money back after a rejection', async () => {
    const story = await deliveredGig(world)

    await world.platform.publish(told.resolved(story, 'rejected'))

    await untilStatus(world, story.gigId, 'refunded')
    assert.equal((await receiptOf(story.gigId)).status, 404)
  })

  it('holds a frozen rejection and pays when the appeal is won', async () => {
    const story = await deliveredGig(world)
    await world.platform.publish(told.resolved(story, 'rejected', frozenUntil()))
    await until('it is held', async () => (await escrowOf(world, story.gigId)).nextDeadline?.action === 'refund')
    const appealId = randomUUID()

    await world.platform.publish(told.appealFiled(story, appealId))
    await until('the appeal is known', async () => (await escrowOf(world, story.gigId)).nextDeadline?.action === 'appeal')
    assert.equal((await escrowOf(world, story.gigId)).status, 'locked')
    await world.platform.publish(told.appealClosed(story, appealId, 'won'))

    await untilStatus(world, story.gigId, 'released')
    const receipt = await until('the receipt', async () => {
      const { status, body } = await receiptOf(story.gigId)
      return status === 200 && body
    })
    assert.deepEqual([receipt.validationConsensus, receipt.validatorCount], [60, 5])
  })

  it('refunds a frozen rejection when the appeal is lost', async () => {
    const story = await deliveredGig(world)
    const appealId = randomUUID()
    for (const draft of [
      told.resolved(story, 'rejected', frozenUntil()),
      told.appealFiled(story, appealId),
      told.appealClosed(story, appealId, 'lost', true),
    ])
      await world.platform.publish(draft)

    await untilStatus(world, story.gigId, 'refunded')
  })

  it('pays only a deliverer: the oracle cannot release a gig without delivery, then it can, once', async () => {
    const story = await newGig(world)
    await lockFunds(world, story)
    await world.platform.publish(told.assigned(story))
    await until('the assignee is known', async () => (await escrowOf(world, story.gigId)).payeeId === story.worker.id)
    const release = (headers: Record<string, string>) => post('/api/escrow/release', { gigId: story.gigId }, headers)

    const early = await release(oracle)
    await world.platform.publish(told.submitted(story))
    const [stranger, poster] = [await release(story.worker.headers), await release(story.poster.headers)]
    const first = await until('it is released', async () => {
      const answer = await release(oracle)
      return answer.status === 200 && answer
    })
    const again = await release(oracle)

    assert.deepEqual([early.status, early.body.code], [409, 'INVALID_STATE'])
    assert.deepEqual([stranger.status, stranger.body.code], [403, 'NOT_POSTER'])
    assert.deepEqual([poster.status, poster.body.code], [403, 'FORBIDDEN'])
    assert.deepEqual([again.status, again.body], [200, first.body])
    assert.equal(kinds(story).filter(kind => kind === 'escrow.settle').length, 1)
  })

  it('lets a party dispute and an admin decide either way', async () => {
    for (const releaseToPayee of [true, false]) {
      const story = await deliveredGig(world)
      const disputed = await post('/api/escrow/dispute', { gigId: story.gigId, reason: 'Not what was asked' }, story.poster.headers)
      const again = await post('/api/escrow/dispute', { gigId: story.gigId, reason: 'Again' }, story.worker.headers)
      const stranger = await post('/api/escrow/dispute', { gigId: story.gigId, reason: 'Me too' }, (await newGig(world)).poster.headers)
      await world.platform.publish(told.resolved(story, releaseToPayee ? 'rejected' : 'approved'))

      const resolved = await post('/api/escrow/admin-resolve', { gigId: story.gigId, releaseToPayee, reason: 'Seen' }, oracle)

      assert.deepEqual(
        [disputed.body.escrow.status, disputed.body.escrow.disputeReason, disputed.body.escrow.disputedBy],
        ['disputed', 'Not what was asked', story.poster.id],
      )
      assert.deepEqual([again.status, again.body.code, stranger.status, stranger.body.code], [409, 'INVALID_STATE', 403, 'NOT_PARTY'])
      assert.equal(resolved.status, 200)
      assert.equal(resolved.body.escrow.status, releaseToPayee ? 'released' : 'refunded')
      assert.equal(kinds(story).includes('escrow.dispute'), true)
    }
  })

  it('follows the votes 14 days after a raised threshold was missed, and else sends the money back', async () => {
    const cases = [
      { approvals: 4, rejections: 0, thresholdRaised: true, end: 'released' },
      { approvals: 2, rejections: 2, thresholdRaised: true, end: 'refunded' },
      { approvals: 4, rejections: 0, thresholdRaised: false, end: 'refunded' },
    ] as const
    const stories = []
    for (const { end, ...extra } of cases) {
      const story = await deliveredGig(world)
      await world.platform.publish(told.expired(story, extra))
      const { status, disputeReason } = await untilStatus(world, story.gigId, 'disputed')
      assert.deepEqual([status, disputeReason], ['disputed', 'No validator consensus'])
      stories.push({ story, end })
    }

    await world.platform.advance(14 * daySeconds + 60)

    for (const { story, end } of stories) await untilStatus(world, story.gigId, end)
  })

  it('refuses to resolve what is not disputed', async () => {
    const story = await deliveredGig(world)

    const answer = await post('/api/escrow/admin-resolve', { gigId: story.gigId, releaseToPayee: false, reason: 'No' }, oracle)

    assert.deepEqual([answer.status, answer.body.code], [409, 'INVALID_STATE'])
  })

  it('tries a failed payout again after one minute as the next round, not before, and marks the slot', async () => {
    const story = await deliveredGig(world)
    world.chain = ({ kind, round }) => (kind === 'escrow.settle' && round === 1 ? 'fail' : 'confirm')

    await world.platform.publish(told.resolved(story, 'approved'))
    const failed = await until('the failure', async () => {
      const escrow = await escrowOf(world, story.gigId)
      return escrow.onChain.status === 'failed' && escrow
    })
    const rounds = () => world.commands.filter(({ opKey }) => opKey.startsWith(`escrow.settle:${story.gigId}`)).map(({ round }) => round)
    const { at, action } = failed.nextDeadline
    const leftMs = () => Date.parse(at) - world.platform.service('escrow').platform.clock.now().getTime()
    assert.deepEqual([failed.status, action, leftMs() > 30_000 && leftMs() <= 60_000], ['releasing', 'retry', true])
    await world.platform.advance(Math.floor(leftMs() / 1000) - 25)
    await world.platform.service('escrow').runJobs()
    assert.deepEqual([(await escrowOf(world, story.gigId)).status, rounds()], ['releasing', [1]])

    await world.platform.advance(26)

    await untilStatus(world, story.gigId, 'released')
    assert.deepEqual(rounds(), [1, 2])
    assert.ok(kinds(story).includes('escrow.approve'))
  })

  it('lets time decide: a weak rejection after 14 days, unless the swarm knows of an appeal', async () => {
    const [plain, appealed] = [await deliveredGig(world), await deliveredGig(world)]
    for (const story of [plain, appealed]) {
      await world.platform.publish(told.resolved(story, 'rejected', { weak: true, ...frozenUntil() }))
      await untilStatus(world, story.gigId, 'disputed')
    }
    world.validations.set(appealed.gigId, [validationRow(appealed, { validationId: randomUUID(), appealOf: appealed.validationId })])

    await world.platform.advance(15 * daySeconds)

    await untilStatus(world, plain.gigId, 'refunded')
    assert.equal((await escrowOf(world, appealed.gigId)).status, 'disputed')
  })

  it('closes an unfunded gig by its verdict: nothing can be locked any more', async () => {
    const story = await newGig(world)
    for (const draft of [told.posted(story), told.assigned(story), told.submitted(story), told.resolved(story, 'approved')])
      await world.platform.publish(draft)
    await untilStatus(world, story.gigId, 'unfunded')
    story.row.status = 'pending_validation'

    const answer = await lockFunds(world, story)

    assert.deepEqual([answer.status, answer.body.code], [409, 'INVALID_STATE'])
  })
})
