import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { limits, messageOfferAnswered, messageSent, offerAnswered, socialApi } from '@carapace/api'
import { hourSeconds, type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgents, newGig, startHarness } from '../testing/harness.ts'
import { eventsOf, faultsOf } from '../testing/reads.ts'

describe('messages', () => {
  let harness: Harness

  before(async () => {
    harness = await startHarness()
  })
  beforeEach(() => {
    harness.hire = () => 'accepted'
  })
  after(() => harness.close())

  const twoAgents = async () => (await newAgents(harness, 2)) as [TestAgent, TestAgent]
  const send = (from: TestAgent, to: TestAgent, body: object | string = 'Hello', headers = {}) =>
    harness.call('POST', `/api/agents/${from.id}/messages/${to.id}`, {
      body: typeof body === 'string' ? { content: body } : body,
      headers: { ...from.headers, ...headers },
    })
  const read = (reader: TestAgent, other: TestAgent, query = '') =>
    harness.call('GET', `/api/agents/${reader.id}/messages/${other.id}${query}`, { headers: reader.headers })
  const conversationsOf = async (agent: TestAgent) => (await harness.call('GET', `/api/agents/${agent.id}/messages`, { headers: agent.headers })).body
  const answer = (by: TestAgent, messageId: string, action: 'accept' | 'decline', body: object = {}, headers = {}) =>
    harness.call('POST', `/api/agents/${by.id}/messages/${messageId}/${action}`, { body, headers: { ...by.headers, ...headers } })
  const unreadOf = async ({ id }: TestAgent) =>
    (await harness.platform.service('social').platform.peers.call('social', socialApi.internal.countUnreadMessages, { params: { id } })).count
  const offerOfGig = async (poster: TestAgent, to: TestAgent) => {
    const { gigId } = newGig(harness, { posterId: poster.id })
    return (await send(poster, to, { content: 'Would you?', messageType: 'GIG_OFFER', gigId })).body
  }
  const codes = (answers: { status: number; body: { code?: string } }[]) => answers.map(({ status, body }) => [status, body.code])

  it('are read by both agents, oldest first, and marked as read by the recipient', async () => {
    const [one, two] = await twoAgents()
    const first = await send(one, two, 'First')
    await send(one, two, 'Second')
    assert.deepEqual([first.status, first.body.status, first.body.messageId, first.body.readAt], [201, 'SENT', first.body.id, null])
    const { success, ...fields } = first.body
    assert.equal(success, true)
    assert.deepEqual(Object.keys(fields).sort(), Object.keys(socialApi.endpoints.sendMessage.response!.shape).sort())
    assert.equal(await unreadOf(two), 2)

    const own = await read(one, two)
    const received = await read(two, one)

    const shown = ({ body }: { body: { messages: { content: string; status: string }[] } }) => body.messages.map(m => [m.content, m.status])
    assert.deepEqual(shown(own), [
      ['First', 'SENT'],
      ['Second', 'SENT'],
    ])
    assert.deepEqual(shown(received), [
      ['First', 'READ'],
      ['Second', 'READ'],
    ])
    assert.deepEqual([received.body.total, received.body.otherAgent.handle], [2, one.handle])
    assert.equal(await unreadOf(two), 0)
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('make a list of conversations, the newest first, with the start of the last message', async () => {
    const [one, two, three] = (await newAgents(harness, 3)) as [TestAgent, TestAgent, TestAgent]
    await send(two, one, 'a'.repeat(150))
    await send(three, one, '🦀'.repeat(150))
    await send(one, three, 'An answer')

    const list = await conversationsOf(one)

    const rows = list.map((row: Record<string, unknown>) => [row.otherAgentId, row.lastMessagePreview, row.unreadCount])
    assert.deepEqual(rows, [
      [three.id, 'An answer', 1],
      [two.id, 'a'.repeat(100), 1],
    ])
    assert.equal((await conversationsOf(three))[0].lastMessagePreview, 'An answer')
    const { headers } = await harness.call('GET', `/api/agents/${one.id}/messages?limit=1`, { headers: one.headers })
    assert.equal(headers.get('x-total-count'), '2')
    assert.match(headers.get('cache-control') ?? '', /private, no-store/)
  })

  it('are shown to nobody but the two', async () => {
    const [one, two, three] = (await newAgents(harness, 3)) as [TestAgent, TestAgent, TestAgent]
    const { body } = await send(one, two)
    const paths = [`/api/agents/${one.id}/messages/${two.id}`, `/api/agents/${two.id}/messages/${one.id}`, `/api/agents/${one.id}/messages`]

    for (const path of paths) {
      assert.deepEqual(codes([await harness.call('GET', path), await harness.call('GET', path, { headers: three.headers })]), [
        [401, 'AUTH_REQUIRED'],
        [403, 'FORBIDDEN'],
      ])
    }
    assert.deepEqual(codes([await answer(three, body.id, 'accept'), await answer(one, body.id, 'decline')]), [
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
    ])
    assert.deepEqual((await read(three, one)).body.messages, [])
  })

  it('are refused to oneself, to nobody, and without text', async () => {
    const [one, two] = await twoAgents()

    const refusals = [
      await send(one, one),
      await send(one, { ...two, id: randomUUID() }),
      await send(one, two, ''),
      await send(one, two, 'x'.repeat(2001)),
    ]

    assert.deepEqual(codes(refusals), [
      [400, 'SELF_ACTION'],
      [404, 'NOT_FOUND'],
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
    ])
    assert.deepEqual(await conversationsOf(one), [])
  })

  it('are limited while the other does not answer; an answer or a consent lifts the limit', async () => {
    const [one, two] = await twoAgents()
    const full = async () => {
      for (let n = 0; n < limits.social.unanswered; n++) assert.equal((await send(one, two, `${n}`)).status, 201)
      return send(one, two, 'One more')
    }

    const refused = await full()
    assert.deepEqual([refused.status, refused.body.code], [429, 'RATE_LIMITED'])
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    await send(two, one, 'I am here')
    assert.equal((await full()).status, 429)
    const [oldest] = (await read(two, one, `?offset=${limits.social.unanswered}`)).body.messages.slice(-1)
    assert.equal((await answer(two, oldest.id, 'accept')).status, 200)
    assert.equal((await full()).status, 201)
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('stay within the limit when many are sent at the same time', async () => {
    const [one, two] = await twoAgents()

    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => send(one, two, `${n}`)))

    assert.equal(answers.filter(({ status }) => status === 201).length, limits.social.unanswered)
    assert.equal(answers.filter(({ status }) => status === 429).length, 30 - limits.social.unanswered)
    assert.equal((await read(two, one)).body.total, limits.social.unanswered)
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('are answered once, by the recipient', async () => {
    const [one, two] = await twoAgents()
    const { body: text } = await send(one, two)
    const key = { 'idempotency-key': randomUUID() }

    const declined = await answer(two, text.id, 'decline', { reason: 'Busy' }, key)
    const [again, other] = [await answer(two, text.id, 'decline', { reason: 'Busy' }, key), await answer(two, text.id, 'accept')]

    assert.deepEqual([declined.body.message.status, declined.body.message.reason, declined.body.offer], ['DECLINED', 'Busy', null])
    assert.deepEqual([again.status, again.body], [200, declined.body])
    assert.deepEqual([other.status, other.body.code, other.body.details.state], [409, 'INVALID_STATE', 'DECLINED'])
    const [event] = await eventsOf(harness, messageOfferAnswered, text.id)
    assert.deepEqual([event?.status, event?.offerId], ['DECLINED', null])
    assert.equal(await unreadOf(two), 0)
  })

  it('say nothing of their text in events', async () => {
    const [one, two] = await twoAgents()
    const { body } = await send(one, two, 'a private word')
    await answer(two, body.id, 'decline', { reason: 'a private reason' })
    await eventsOf(harness, messageOfferAnswered, body.id)
    await eventsOf(harness, messageSent, body.id)

    assert.doesNotMatch(JSON.stringify(harness.published), /private/)
  })

  describe('with an offer', () => {
    it('are of an own open gig', async () => {
      const [one, two] = await twoAgents()
      const own = newGig(harness, { posterId: one.id, status: 'assigned' })
      const foreign = newGig(harness, { posterId: two.id })
      const offer = (gigId?: string) => send(one, two, { content: 'Would you?', messageType: 'GIG_OFFER', gigId })

      assert.deepEqual(codes([await offer(own.gigId), await offer(foreign.gigId), await offer(randomUUID()), await offer()]), [
        [409, 'INVALID_STATE'],
        [403, 'NOT_POSTER'],
        [404, 'NOT_FOUND'],
        [400, 'VALIDATION_ERROR'],
      ])
    })

    it('hire the recipient who accepts', async () => {
      const [one, two] = await twoAgents()
      const message = await offerOfGig(one, two)

      const { status, body } = await answer(two, message.id, 'accept')

      assert.deepEqual([status, body.message.status, body.offer.id, body.offer.status], [200, 'ACCEPTED', message.id, 'accepted'])
      const [event] = await eventsOf(harness, messageOfferAnswered, message.id)
      assert.deepEqual([event?.status, event?.offerId, event?.gigId], ['ACCEPTED', message.id, message.gigId])
    })

    it('hire once, however many accept at the same time', async () => {
      const [one, two] = await twoAgents()
      const message = await offerOfGig(one, two)

      const answers = await Promise.all(Array.from({ length: 8 }, () => answer(two, message.id, 'accept')))

      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.ok(answers.every(({ status }) => status === 200 || status === 409))
      assert.deepEqual(
        harness.hires.filter(id => id === message.id),
        [message.id],
      )
      assert.equal((await eventsOf(harness, messageOfferAnswered, message.id)).length, 1)
    })

    it('stay open when the marketplace refuses', async () => {
      const [one, two] = await twoAgents()
      const message = await offerOfGig(one, two)
      harness.hire = () => 'INSUFFICIENT_BOND'

      const refused = await answer(two, message.id, 'accept')
      harness.hire = () => 'accepted'
      const accepted = await answer(two, message.id, 'accept')

      assert.deepEqual([refused.status, refused.body.code], [403, 'INSUFFICIENT_BOND'])
      assert.deepEqual([accepted.status, accepted.body.message.status], [200, 'ACCEPTED'])
    })

    it('are accepted once the bond is locked, and nothing else answers them meanwhile', async () => {
      const [one, two] = await twoAgents()
      const message = await offerOfGig(one, two)
      harness.hire = () => 'pending'

      const waiting = await answer(two, message.id, 'accept')
      const declined = await answer(two, message.id, 'decline')

      assert.deepEqual([waiting.status, waiting.body.message.status, waiting.body.offer.status], [202, 'SENT', 'pending'])
      assert.equal(waiting.body.statusUrl, `/api/agents/${two.id}/messages/${one.id}`)
      assert.deepEqual([declined.status, declined.body.code, declined.body.retryable], [409, 'INVALID_STATE', true])
      await harness.platform.publish(answeredOffer(message, 'accepted'))
      await until('it is accepted', async () => (await read(two, one)).body.messages[0].status === 'ACCEPTED')
    })

    it('are declined when the recipient declines the offer at the marketplace', async () => {
      const [one, two] = await twoAgents()
      const message = await offerOfGig(one, two)

      await harness.platform.publish(answeredOffer(message, 'declined'))

      await until('it is declined', async () => (await read(two, one)).body.messages[0].status === 'DECLINED')
      await harness.platform.publish(answeredOffer(message, 'accepted'), 2)
      await until('the gig decides', async () => (await read(two, one)).body.messages[0].status === 'ACCEPTED')
      assert.deepEqual(await faultsOf(harness), [])
    })

    it('are carried on when the marketplace did not answer', async () => {
      const [one, two] = await twoAgents()
      const message = await offerOfGig(one, two)
      harness.hire = () => 'TIMEOUT'

      const waiting = await answer(two, message.id, 'accept')
      harness.hire = () => 'accepted'
      await harness.platform.advance(60)

      assert.deepEqual([waiting.status, waiting.body.offer], [202, null])
      await until('it is accepted', async () => (await read(two, one)).body.messages[0].status === 'ACCEPTED')
    })

    it('may be answered again when nothing came of an acceptance in 20 minutes', async () => {
      const [one, two] = await twoAgents()
      const message = await offerOfGig(one, two)
      harness.hire = () => 'pending'
      await answer(two, message.id, 'accept')

      await harness.platform.advance(20 * 60)

      await until('it is declined', async () => (await answer(two, message.id, 'decline')).status === 200)
    })

    it('stay with a marketplace that may have received them late, until its time is over', async () => {
      const [one, two] = await twoAgents()
      const isDeclined = async ({ id }: { id: string }) => (await answer(two, id, 'decline')).status === 200
      const [late, lost, early] = [await offerOfGig(one, two), await offerOfGig(one, two), await offerOfGig(one, two)]
      harness.hire = () => 'TIMEOUT'
      for (const { id } of [late, lost]) await answer(two, id, 'accept')
      harness.hire = () => 'pending'
      await answer(two, early.id, 'accept')

      harness.hire = messageId => (messageId === late.id ? 'pending' : 'TIMEOUT')
      await harness.platform.advance(19 * 60)
      for (const { id } of [late, lost]) await until('it is requested again', () => harness.hires.filter(hired => hired === id).length > 1)
      await harness.platform.advance(2 * 60)

      await until('the early one is declined', () => isDeclined(early))
      assert.deepEqual([await isDeclined(late), await isDeclined(lost)], [false, false])
      await harness.platform.advance(20 * 60)
      for (const message of [late, lost]) await until('it is declined', () => isDeclined(message))
    })

    it('end after 72 hours', async () => {
      const [one, two] = await twoAgents()
      const message = await offerOfGig(one, two)

      await harness.platform.advance(72 * hourSeconds)

      assert.deepEqual(codes([await answer(two, message.id, 'accept'), await answer(two, message.id, 'decline')]), [
        [409, 'WINDOW_CLOSED'],
        [409, 'WINDOW_CLOSED'],
      ])
    })
  })

  const answeredOffer = ({ id, gigId, fromAgentId, toAgentId }: Record<string, string>, status: 'accepted' | 'declined') =>
    offerAnswered.of({
      ...{ gigId: gigId!, gigTitle: 'Audit', posterId: fromAgentId!, budget: 1n, chain: 'BASE_SEPOLIA' },
      ...{ offerId: id!, fromAgentId: fromAgentId!, toAgentId: toAgentId!, status },
    })
})
