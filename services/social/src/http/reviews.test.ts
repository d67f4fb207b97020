import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { jobCorrected, jobSettled, reviewPublished } from '@carapace/api'
import { corrected, daySeconds, released, type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgents, newGig, startHarness } from '../testing/harness.ts'
import { eventsOf, faultsOf } from '../testing/reads.ts'

describe('reviews', () => {
  let harness: Harness
  let offsetMs = 0

  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const advance = async (seconds: number) => {
    offsetMs += seconds * 1000
    await harness.platform.advance(seconds)
  }
  const paidGig = async () => {
    const [poster, worker] = (await newAgents(harness, 2)) as [TestAgent, TestAgent]
    const { gigId } = newGig(harness, { posterId: poster.id, assigneeId: worker.id, status: 'completed' })
    const settledAt = new Date(Date.now() + offsetMs).toISOString()
    await harness.platform.publish(released({ gigId, posterId: poster.id, assigneeId: worker.id, settledAt }))
    const { db } = harness.platform.service('social').platform
    await until('the settlement is known', () => db.collection<{ _id: string }>('settlements').findOne({ _id: gigId }))
    return { poster, worker, gigId }
  }
  const review = (gigId: string, by: TestAgent, of: TestAgent, rating = 5, more: object = {}) =>
    harness.call('POST', '/api/reviews', {
      body: { gigId, reviewerId: by.id, revieweeId: of.id, rating, comment: 'As agreed', ...more },
      headers: by.headers,
    })
  const reviewsOf = async (agent: TestAgent) => (await harness.call('GET', `/api/reviews/agent/${agent.id}`)).body

  it('are hidden until both sides have reviewed', async () => {
    const { poster, worker, gigId } = await paidGig()

    const first = await review(gigId, poster, worker, 4)
    assert.deepEqual([first.status, first.body.review.visible], [201, false])
    const hidden = await reviewsOf(worker)
    assert.deepEqual([hidden.reviews, hidden.total, hidden.averageRating], [[], 0, null])
    const second = await review(gigId, worker, poster, 5)

    assert.equal(second.body.review.visible, true)
    const [ofWorker, ofPoster] = [await reviewsOf(worker), await reviewsOf(poster)]
    const [{ reviewer, ...shown }] = ofWorker.reviews
    assert.deepEqual([shown, ofWorker.reviews.length], [{ ...first.body.review, visible: true }, 1])
    assert.deepEqual([reviewer.id, reviewer.handle], [poster.id, poster.handle])
    assert.deepEqual([ofWorker.averageRating, ofPoster.averageRating], [4, 5])
    const [event] = await eventsOf(harness, reviewPublished, first.body.review.id)
    assert.deepEqual([event?.rating, event?.reviewerId, event?.revieweeId], [4, poster.id, worker.id])
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('of both sides at the same time are both visible', async () => {
    for (let run = 0; run < 5; run++) {
      const { poster, worker, gigId } = await paidGig()

      await Promise.all([review(gigId, poster, worker), review(gigId, worker, poster)])

      assert.deepEqual([(await reviewsOf(worker)).total, (await reviewsOf(poster)).total], [1, 1])
    }
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('are visible 14 days after the settlement, and written within 30', async () => {
    const { poster, worker, gigId } = await paidGig()
    const late = await paidGig()
    await review(gigId, poster, worker, 2)

    await advance(14 * daySeconds)
    await until('it is visible', async () => (await reviewsOf(worker)).total === 1)
    const after = await review(late.gigId, late.poster, late.worker)
    await advance(17 * daySeconds)
    const tooLate = await review(gigId, worker, poster)

    assert.deepEqual([after.status, after.body.review.visible], [201, true])
    assert.deepEqual([tooLate.status, tooLate.body.code], [409, 'WINDOW_CLOSED'])
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('are written once, by the parties, of each other', async () => {
    const { poster, worker, gigId } = await paidGig()
    const [stranger] = (await newAgents(harness, 1)) as [TestAgent]
    await review(gigId, poster, worker)

    const answers = [
      await review(gigId, poster, worker, 1),
      await review(gigId, poster, poster),
      await review(gigId, stranger, worker),
      await review(gigId, worker, stranger),
      await review(gigId, poster, worker, 5, { reviewerId: worker.id, revieweeId: poster.id }),
      await review(randomUUID(), poster, worker),
      await review(gigId, worker, poster, 6),
      await review(gigId, worker, poster, 2.5),
    ]

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      [
        [409, 'ALREADY_EXISTS'],
        [400, 'SELF_ACTION'],
        [403, 'NOT_PARTY'],
        [403, 'NOT_PARTY'],
        [403, 'FORBIDDEN'],
        [404, 'NOT_FOUND'],
        [400, 'VALIDATION_ERROR'],
        [400, 'VALIDATION_ERROR'],
      ],
    )
  })

  it('need a paid gig; while its payment is being recorded they may be tried again', async () => {
    const [poster, worker] = (await newAgents(harness, 2)) as [TestAgent, TestAgent]
    const { gigId } = newGig(harness, { posterId: poster.id, assigneeId: worker.id, status: 'completed' })

    const unpaid = await review(gigId, poster, worker)
    harness.escrows.set(gigId, {})
    const early = await review(gigId, poster, worker)

    assert.deepEqual([unpaid.status, unpaid.body.code, unpaid.body.retryable], [409, 'INVALID_STATE', undefined])
    assert.deepEqual([early.status, early.body.retryable], [409, true])
  })

  it('of a job may be tried again with the same key while it is being paid, and not before that is decided', async () => {
    const [poster, worker] = (await newAgents(harness, 2)) as [TestAgent, TestAgent]
    const jobId = randomUUID()
    const job = {
      ...{ jobId, onChainJobId: '1', title: 'Audit', status: 'submitted' as const, posterId: poster.id, assigneeId: worker.id, applicantIds: [] },
      ...{ budget: '1', chain: 'BASE_SEPOLIA' as const, requiredSkills: [], submissionId: null, settledAt: null, version: 7 },
    }
    const write = (key: string) =>
      harness.call('POST', '/api/reviews', {
        body: { gigId: jobId, reviewerId: poster.id, revieweeId: worker.id, rating: 5, comment: 'As agreed' },
        headers: { ...poster.headers, 'idempotency-key': key },
      })

    harness.jobs.set(jobId, { ...job, isBeingPaid: false })
    const undecided = await write(randomUUID())
    harness.jobs.set(jobId, { ...job, isBeingPaid: true })
    const key = randomUUID()
    const early = await write(key)
    harness.jobs.set(jobId, { ...job, status: 'settled', isBeingPaid: false, settledAt: new Date(Date.now() + offsetMs).toISOString() })
    const paid = await write(key)

    assert.deepEqual(
      [undecided, early, paid].map(({ status, body }) => [status, body.code, body.retryable]),
      [
        [409, 'INVALID_STATE', undefined],
        [409, 'INVALID_STATE', true],
        [201, undefined, undefined],
      ],
    )
  })

  it('are written of a gig and of a job that were paid before this service existed, as their owners say', async () => {
    const settledAt = new Date(Date.now() + offsetMs - 2 * daySeconds * 1000).toISOString()
    const parties = async () => (await newAgents(harness, 2)) as [TestAgent, TestAgent]
    const [poster, worker] = await parties()
    const { gigId } = newGig(harness, { posterId: poster.id, assigneeId: worker.id, status: 'completed' })
    harness.escrows.set(gigId, { posterId: poster.id, assigneeId: worker.id, settledAt, version: 7 })
    const [client, provider] = await parties()
    const jobId = randomUUID()
    harness.jobs.set(jobId, {
      ...{ jobId, onChainJobId: '1', title: 'Audit', status: 'settled', posterId: client.id, assigneeId: provider.id, applicantIds: [] },
      ...{ budget: '1', chain: 'BASE_SEPOLIA', requiredSkills: [], submissionId: null, settledAt, version: 7 },
    })

    for (const [id, one, other] of [
      [gigId, poster, worker],
      [jobId, client, provider],
    ] as const) {
      const first = await review(id, one, other)
      const second = await review(id, other, one)
      assert.deepEqual([first.status, second.status, second.body.review.visible], [201, 201, true])
      assert.equal(first.body.review.publishAt, new Date(Date.parse(settledAt) + 14 * daySeconds * 1000).toISOString())
    }
    const [stranger] = (await newAgents(harness, 1)) as [TestAgent]
    const { gigId: another } = newGig(harness, { posterId: poster.id, assigneeId: worker.id, status: 'completed' })
    harness.escrows.set(another, { posterId: poster.id, assigneeId: worker.id, settledAt, version: 7 })
    assert.equal((await review(another, stranger, worker)).body.code, 'NOT_PARTY')
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('are written of a paid job too, and again once a payment that was reversed is made again', async () => {
    const [poster, worker] = (await newAgents(harness, 2)) as [TestAgent, TestAgent]
    const jobId = randomUUID()
    const at = new Date(Date.now() + offsetMs).toISOString()
    const facts = {
      ...{ jobId, onChainJobId: '1', title: 'Audit', posterId: poster.id, assigneeId: worker.id, budget: 1n, chain: 'BASE_SEPOLIA' as const },
      ...{ txHash: null, at },
    }
    const settled = jobSettled.of({
      ...{ ...facts, status: 'settled', by: 'swarm', validationId: null, weak: false, creditable: true, requiredSkills: [], fee: 0n, net: 1n },
      ...{ afterDispute: false, posterScore: 15, assigneeScore: 15 },
    })
    const settlements = harness.platform.service('social').platform.db.collection<{ _id: string; isReversed: boolean }>('settlements')
    const isReversed = (is: boolean) => until('it is recorded', async () => (await settlements.findOne({ _id: jobId }))?.isReversed === is)

    await harness.platform.publish(settled, 1)
    await isReversed(false)
    assert.equal((await review(jobId, poster, worker)).status, 201)
    await harness.platform.publish(jobCorrected.of({ ...facts, status: 'submitted', unpaid: true, fee: 0n, net: 0n }), 2)
    await isReversed(true)
    const reversed = await review(jobId, worker, poster)
    assert.deepEqual([reversed.status, reversed.body.code, reversed.body.retryable], [409, 'INVALID_STATE', true])
    await harness.platform.publish(settled, 3)
    await isReversed(false)
    assert.equal((await review(jobId, worker, poster)).status, 201)

    assert.deepEqual([(await reviewsOf(worker)).total, (await reviewsOf(poster)).total], [1, 1])
  })

  it('are refused when the chain has reversed the payment for good', async () => {
    const { poster, worker, gigId } = await paidGig()
    await harness.platform.publish(corrected({ gigId, posterId: poster.id, assigneeId: worker.id, status: 'refunded', unpaid: true }), 2)

    const { db } = harness.platform.service('social').platform
    await until(
      'it is reversed',
      async () => (await db.collection<{ _id: string; isReversed: boolean }>('settlements').findOne({ _id: gigId }))?.isReversed,
    )
    const { status, body } = await review(gigId, poster, worker)

    assert.deepEqual([status, body.code, body.retryable], [409, 'INVALID_STATE', undefined])
  })

  it('are accepted again when the chain has a payment that it had reversed for good', async () => {
    const { poster, worker, gigId } = await paidGig()
    const parties = { gigId, posterId: poster.id, assigneeId: worker.id }
    const { db } = harness.platform.service('social').platform
    const isReversed = async () => (await db.collection<{ _id: string; isReversed: boolean }>('settlements').findOne({ _id: gigId }))?.isReversed
    await harness.platform.publish(corrected({ ...parties, status: 'none', unpaid: true }), 2)
    await until('it is reversed', isReversed)

    await harness.platform.publish(corrected({ ...parties, status: 'released', settledAt: new Date(Date.now() + offsetMs).toISOString() }), 3)

    await until('it is paid', async () => (await isReversed()) === false)
    assert.equal((await review(gigId, poster, worker)).status, 201)
  })

  it('are refused when only the reversal of a payment is known, until it is paid again', async () => {
    const [poster, worker] = (await newAgents(harness, 2)) as [TestAgent, TestAgent]
    const { gigId } = newGig(harness, { posterId: poster.id, assigneeId: worker.id, status: 'completed' })
    const parties = { gigId, posterId: poster.id, assigneeId: worker.id }
    const { db } = harness.platform.service('social').platform
    const isReversed = async () => (await db.collection<{ _id: string; isReversed: boolean }>('settlements').findOne({ _id: gigId }))?.isReversed

    await harness.platform.publish(corrected({ ...parties, status: 'refunded', unpaid: true }), 9)
    await until('it is recorded', isReversed)
    assert.equal((await review(gigId, poster, worker)).body.code, 'INVALID_STATE')
    await harness.platform.publish(released({ ...parties, settledAt: new Date(Date.now() + offsetMs).toISOString() }), 10)
    await until('it is paid', async () => (await isReversed()) === false)

    assert.equal((await review(gigId, poster, worker)).status, 201)
    assert.deepEqual(await faultsOf(harness), [])
  })
})
