import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { bondLockFailed, escrowFailed, gigBondLost, gigCommented } from '@carapace/api'
import { corrected, published, startPlatform, type TestPlatform, until } from '@carapace/testing'
import { notifications } from './index.ts'
import { assigned, gig } from './testing/assigned.ts'
import { identityStub, named, socialStub, stranger, withMessages } from './testing/identity.ts'

describe('notifications', () => {
  let platform: TestPlatform

  before(async () => {
    platform = await startPlatform([identityStub, socialStub, notifications])
  })
  after(() => platform.close())

  const inbox = (agentId: string, query = '') => platform.call('GET', `/api/agents/${agentId}/notifications${query}`)
  const publishTo = async (agentId: string, count: number) => {
    for (let n = 0; n < count; n++) await platform.publish(assigned(agentId))
    await until('all arrived', async () => (await inbox(agentId)).body.total === count)
  }

  it('notifies the chosen applicant, with the gig in the metadata', async () => {
    const agentId = randomUUID()
    const gigId = randomUUID()

    await platform.publish(assigned(agentId, gigId))

    const { body } = await until('it arrives', async () => {
      const answer = await inbox(agentId)
      return answer.body.total === 1 && answer
    })
    assert.equal(body.unreadCount, 1)
    assert.equal(body.notifications[0].type, 'gig_accepted')
    assert.equal(body.notifications[0].metadata.gigId, gigId)
    assert.equal(body.notifications[0].read, false)
  })

  it('does not notify the author of a comment', async () => {
    const posterId = randomUUID()
    const assigneeId = randomUUID()
    const comment = { ...gig, gigId: randomUUID(), posterId, assigneeId, commentId: randomUUID(), authorId: posterId, isInternal: false }

    await platform.publish(gigCommented.of(comment))

    await until('the assignee is notified', async () => (await inbox(assigneeId)).body.total === 1)
    assert.equal((await inbox(posterId)).body.total, 0)
  })

  it('adds nothing when the same event comes again', async () => {
    const agentId = randomUUID()
    const message = published(assigned(agentId))

    await platform.bus.publish([message, message])
    await platform.bus.publish([message])

    await until('it arrives', async () => (await inbox(agentId)).body.total === 1)
  })

  it('reach the assignee for a reversed lock, and only the poster for one that never was', async () => {
    const [posterId, assigneeId] = [randomUUID(), randomUUID()]
    const failed = (wasLocked: boolean) =>
      escrowFailed.of({
        ...{ escrowId: randomUUID(), gigId: randomUUID(), gigTitle: 'Audit', posterId, assigneeId, amount: 40_000_000n, chain: 'BASE_SEPOLIA' },
        ...{ code: 'REVERTED', error: 'reverted', wasLocked, disputed: false },
      })

    await platform.publish(failed(true))
    await platform.publish(failed(false))

    const typesOf = async (agentId: string) => (await inbox(agentId)).body.notifications.map((entry: { type: string }) => entry.type)
    await until('the poster knows both', async () => (await typesOf(posterId)).length === 2)
    assert.deepEqual([await typesOf(posterId), await typesOf(assigneeId)], [['escrow_failed', 'escrow_failed'], ['escrow_failed']])
  })

  it('reach both parties for a payment that is reversed for good, and nobody for one that may be made again', async () => {
    const [posterId, assigneeId] = [randomUUID(), randomUUID()]
    const settlementIs = (status: 'locked' | 'released' | 'refunded' | 'none', unpaid: boolean) => corrected({ posterId, assigneeId, status, unpaid })

    for (const status of ['locked', 'released', 'refunded', 'none'] as const) await platform.publish(settlementIs(status, false))
    for (const status of ['refunded', 'none'] as const) await platform.publish(settlementIs(status, true))

    for (const agentId of [posterId, assigneeId]) {
      const notified = await until('both are notified', async () => {
        const { notifications, total } = (await inbox(agentId)).body
        return total === 2 && notifications.map(({ type, title, message }: Record<string, string>) => [type, title, message]).sort()
      })
      assert.deepEqual(notified, [
        ['escrow_failed', 'Payment reversed', 'The chain took back the payment for "Audit". The budget had not been locked, nothing is locked now.'],
        ['escrow_refunded', 'Payment reversed', 'The chain took back the payment for "Audit". 40.00 USDC went back to where they came from.'],
      ])
    }
  })

  it('reach the assignee for a reversed bond lock, and the poster for a bond that is lost for good', async () => {
    const [posterId, agentId, gigId] = [randomUUID(), randomUUID(), randomUUID()]
    const bond = { bondEventId: gigId, chain: 'BASE_SEPOLIA', bondTier: 'BONDED', bondStatus: 'BONDED', txHash: null, code: 'REVERTED' } as const
    const amounts = { amount: 20_000_000n, totalBonded: 20_000_000n, availableBond: 20_000_000n, lockedBond: 0n, slashedBond: 0n }
    const failed = (wasLocked: boolean, isLockedAgain: boolean) =>
      bondLockFailed.of({ agentId, gigId, ...bond, ...amounts, wasLocked, isLockedAgain, changedAt: new Date().toISOString() })

    for (const draft of [failed(false, false), failed(true, true), failed(true, false)]) await platform.publish(draft)
    await platform.publish(
      gigBondLost.of({
        ...{ gigId, gigTitle: 'Audit', posterId, budget: 40_000_000n, chain: 'BASE_SEPOLIA', bondRequired: 20_000_000n },
        ...{ assigneeId: agentId, crewId: null, memberIds: [], lostAt: new Date().toISOString() },
      }),
    )

    const messagesOf = async (id: string) => (await inbox(id)).body.notifications.map((entry: { message: string }) => entry.message).reverse()
    await until('both know', async () => (await messagesOf(agentId)).length === 2 && (await messagesOf(posterId)).length === 1)
    const [first, second] = await messagesOf(agentId)
    assert.match(first, /took back .*locked once more/)
    assert.match(second, /took back .*free again/)
    const titles = (await inbox(agentId)).body.notifications.map((entry: { title: string }) => entry.title)
    assert.deepEqual(titles, ['Bond lock reversed', 'Bond lock reversed'])
    assert.match((await messagesOf(posterId))[0], /"Audit"\. It goes on without/)
  })

  it('pages newest first and counts', async () => {
    const agentId = randomUUID()
    await publishTo(agentId, 5)

    const first = (await inbox(agentId, '?limit=2&offset=0')).body
    const second = (await inbox(agentId, '?limit=2&offset=2')).body

    assert.deepEqual([first.total, first.notifications.length, second.notifications.length], [5, 2, 2])
    const times = [...first.notifications, ...second.notifications].map((entry: { createdAt: string }) => entry.createdAt)
    assert.deepEqual(times, [...times].sort().reverse())
    assert.equal((await platform.call('GET', `/api/agents/${agentId}/notifications/unread-count`)).body.count, 5)
    assert.deepEqual((await platform.call('GET', `/api/agents/${agentId}/unread-count`)).body, {
      unreadCount: 5,
      count: 5,
      messages: 0,
      notifications: 5,
    })
  })

  it('are counted together with unread messages', async () => {
    const { id, unread } = withMessages
    await publishTo(id, 2)

    const { body } = await platform.call('GET', `/api/agents/${id}/unread-count`)

    assert.deepEqual(body, { unreadCount: unread + 2, count: unread + 2, messages: unread, notifications: 2 })
  })

  it('are read under the handle too, and for nobody there are none', async () => {
    await publishTo(named.id, 1)
    for (const path of ['notifications', 'notifications/unread-count', 'unread-count', 'notifications/stream']) {
      if (path !== 'notifications/stream') assert.equal((await platform.call('GET', `/api/agents/${named.handle}/${path}`)).status, 200, path)
      for (const nobody of [stranger, 'no-such-handle']) {
        const { status, body } = await platform.call('GET', `/api/agents/${nobody}/${path}`)
        assert.deepEqual([status, body.code], [404, 'NOT_FOUND'], path)
      }
    }
    assert.equal((await inbox(named.handle)).body.unreadCount, 1)
  })

  it('marks some or all as read, and only its own', async () => {
    const agentId = randomUUID()
    const other = randomUUID()
    await publishTo(agentId, 3)
    await publishTo(other, 1)
    const foreign = (await inbox(other)).body.notifications[0].id
    const [one] = (await inbox(agentId)).body.notifications
    const mark = (body: object) =>
      platform.call('PATCH', `/api/agents/${agentId}/notifications`, { body, headers: { 'x-agent-id': agentId, 'x-wallet-address': '0x1' } })

    const some = await mark({ read: true, notificationIds: [one.id, foreign] })
    const all = await mark({ read: true })

    assert.deepEqual([some.body.updated, some.body.unreadCount], [1, 2])
    assert.deepEqual([all.body.updated, all.body.unreadCount], [2, 0])
    assert.equal((await inbox(other)).body.unreadCount, 1)
    assert.equal((await inbox(agentId, '?unreadOnly=true')).body.total, 0)
  })

  it('refuses to mark for somebody else, and without identity', async () => {
    const path = `/api/agents/${randomUUID()}/notifications`

    const foreign = await platform.call('PATCH', path, { body: { read: true }, headers: { 'x-agent-id': randomUUID(), 'x-wallet-address': '0x1' } })
    const nobody = await platform.call('PATCH', path, { body: { read: true } })

    assert.deepEqual([foreign.status, foreign.body.code], [403, 'FORBIDDEN'])
    assert.deepEqual([nobody.status, nobody.body.code], [401, 'AUTH_REQUIRED'])
  })

  it('answers 304 to the tag of an unchanged inbox', async () => {
    const agentId = randomUUID()
    await publishTo(agentId, 1)
    const { headers } = await inbox(agentId)

    const again = await platform.call('GET', `/api/agents/${agentId}/notifications`, { headers: { 'if-none-match': headers.get('etag') ?? '' } })

    assert.equal(again.status, 304)
  })

  it('replays the answer of an equal request with the same idempotency key, and refuses another body', async () => {
    const agentId = randomUUID()
    await publishTo(agentId, 2)
    const headers = { 'x-agent-id': agentId, 'x-wallet-address': '0x1', 'idempotency-key': `"${randomUUID()}"` }
    const mark = (body: object) => platform.call('PATCH', `/api/agents/${agentId}/notifications`, { body, headers })

    const first = await mark({ read: true })
    const again = await mark({ read: true })
    const other = await mark({ read: false })

    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual([other.status, other.body.code], [409, 'IDEMPOTENCY_KEY_REUSED'])
  })
})
