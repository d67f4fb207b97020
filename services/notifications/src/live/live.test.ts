import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentMigrated, agentStatusChanged, type LiveEvent, limits, messageSent, paymentExecuted } from '@carapace/api'
import { acquireMongo, published, startPlatform, type TestMongo, type TestPlatform, until } from '@carapace/testing'
import { notifications } from '../index.ts'
import { assigned } from '../testing/assigned.ts'
import { collect, type Frame } from '../testing/frames.ts'
import { identityStub, named, socialStub, stranger } from '../testing/identity.ts'

const at = '2026-01-01T00:00:00.000Z'

describe('GET /api/events', () => {
  let mongo: TestMongo
  let platform: TestPlatform
  const readers: AbortController[] = []
  const start = () => startPlatform([identityStub, socialStub, notifications], { mongo })

  before(async () => {
    mongo = await acquireMongo()
    platform = await start()
  })
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.abort()
  })
  after(async function () {
    this.timeout(60_000)
    await platform.close()
    await mongo.close()
  })

  const listen = async (query: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const reader = new AbortController()
    readers.push(reader)
    const response = await fetch(`${platform.url}/api/events?${new URLSearchParams(query)}`, { headers, signal: reader.signal })
    const frames: Frame<LiveEvent>[] = []
    const [comments, places]: [string[], string[]] = [[], []]
    let isEnded = false
    if (response.ok) {
      const end = () => {
        isEnded = true
      }
      collect(response, frames, comments, places).then(end, end)
      await until('it is open', () => comments.length > 0)
    }
    return { response, frames, place: () => places.at(-1), isEnded: () => isEnded, close: () => reader.abort() }
  }
  const typesOf = (frames: readonly Frame<LiveEvent>[]) => frames.map(({ event }) => event)
  const gigsOf = (frames: readonly Frame<LiveEvent>[]) => frames.map(({ data }) => data.data.gigId)
  const message = (fromAgentId: string, toAgentId: string) =>
    messageSent.of({ messageId: randomUUID(), fromAgentId, toAgentId, messageType: 'TEXT', gigId: null, at })
  const payment = (fromAgentId: string, toAgentId: string) =>
    paymentExecuted.of({
      ...{
        paymentId: randomUUID(),
        kind: 'payment' as const,
        fromAgentId,
        toAgentId,
        toAddress: `0x${'a'.repeat(40)}`,
        amount: 5n,
        chain: 'BASE_SEPOLIA' as const,
      },
      ...{ gigId: null, note: 'between us', txHash: `0x${'b'.repeat(64)}`, executedAt: at },
    })

  it('sends what is public to everybody, with its place, type and version', async () => {
    const { response, frames } = await listen()
    const gigId = randomUUID()

    await platform.publish(assigned(randomUUID(), gigId), 3)

    await until('it arrives', () => frames.length === 1)
    const [frame] = frames
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
    assert.deepEqual([frame?.event, frame?.data.type, frame?.data.version], ['marketplace.gig.assigned', 'marketplace.gig.assigned', 3])
    assert.deepEqual([frame?.data.id, frame?.data.subject, frame?.data.data.gigId], [frame?.id, gigId, gigId])
    assert.equal(frame?.data.data.budget, '40000000')
  })

  it('shows a private event to its parties, whole, and to nobody else', async () => {
    const [from, to, other] = [randomUUID(), randomUUID(), randomUUID()]
    const [nobody, sender, recipient, third] = await Promise.all([
      listen(),
      listen({}, { 'x-agent-id': from }),
      listen({}, { 'x-agent-id': to }),
      listen({}, { 'x-agent-id': other }),
    ])
    const byParty = await listen({ agent: from })

    await platform.publish(message(from, to))
    await platform.publish(payment(from, to))
    await platform.publish(assigned(other))

    for (const { frames } of [sender, recipient]) {
      await until('all arrive', () => frames.length === 3)
      assert.deepEqual(typesOf(frames), ['social.message.sent', 'treasury.payment.executed', 'marketplace.gig.assigned'])
      assert.equal(frames[1]?.data.data.note, 'between us')
    }
    for (const { frames } of [nobody, third]) {
      await until('the public one arrives', () => frames.length === 1)
      assert.deepEqual(typesOf(frames), ['marketplace.gig.assigned'])
    }
    assert.deepEqual(byParty.frames, [])
  })

  it('replays by the audience as well', async () => {
    const [from, to] = [randomUUID(), randomUUID()]
    const first = await listen()
    await platform.publish(assigned(randomUUID()))
    await until('a place is known', () => first.frames.length === 1)
    const since = { 'last-event-id': first.frames[0]!.id }
    await platform.publish(message(from, to))
    await platform.publish(assigned(from))
    await until('it is stored', () => first.frames.length === 2)

    const [nobody, sender] = [await listen({}, since), await listen({}, { ...since, 'x-agent-id': from })]

    await until('both have caught up', () => nobody.frames.length === 1 && sender.frames.length === 2)
    assert.deepEqual(typesOf(nobody.frames), ['marketplace.gig.assigned'])
    assert.deepEqual(typesOf(sender.frames), ['social.message.sent', 'marketplace.gig.assigned'])
  })

  it('filters by type, group of types, agent and gig', async () => {
    const [gigId, other] = [randomUUID(), randomUUID()]
    const [byType, byGroup, byAgent, byHandle, byGig] = await Promise.all([
      listen({ type: 'identity.agent.migrated' }),
      listen({ type: 'marketplace.gig.*,social.agent.followed' }),
      listen({ agent: other }),
      listen({ agent: named.handle }),
      listen({ gig: gigId }),
    ])

    await platform.publish(assigned(other))
    await platform.publish(agentMigrated.of({ migrationId: randomUUID(), sourceAgentId: other, targetAgentId: named.id }))
    await platform.publish(assigned(randomUUID(), gigId))

    await until('all arrive', () => byType.frames.length + byGroup.frames.length + byAgent.frames.length + byGig.frames.length === 6)
    assert.deepEqual(typesOf(byType.frames), ['identity.agent.migrated'])
    assert.deepEqual(typesOf(byGroup.frames), ['marketplace.gig.assigned', 'marketplace.gig.assigned'])
    assert.deepEqual(typesOf(byAgent.frames), ['marketplace.gig.assigned', 'identity.agent.migrated'])
    assert.deepEqual(typesOf(byHandle.frames), ['identity.agent.migrated'])
    assert.deepEqual(gigsOf(byGig.frames), [gigId])
  })

  it('ends for an agent that is suspended: it has to prove again who it is', async () => {
    const [agentId, other] = [randomUUID(), randomUUID()]
    const [own, ofGigs, third, nobody] = await Promise.all([
      listen({}, { 'x-agent-id': agentId }),
      listen({ type: 'marketplace.gig.*' }, { 'x-agent-id': agentId }),
      listen({}, { 'x-agent-id': other }),
      listen({ agent: agentId }),
    ])
    const wallet = `0x${'a'.repeat(40)}`
    await platform.publish(
      agentStatusChanged.of({ agentId, handle: 'a-b', status: 'suspended', wallet, formerWallet: null, cause: 'admin', reason: 'spam' }),
    )

    await until('its streams have ended', () => own.isEnded() && ofGigs.isEnded())
    await until('others are notified', () => third.frames.length === 1 && nobody.frames.length === 1)
    assert.deepEqual([third.isEnded(), nobody.isEnded()], [false, false])
  })

  it('refuses filters that match nothing, and an unknown agent', async () => {
    const statusOf = async (query: string) => {
      const { status, body } = await platform.call('GET', `/api/events?${query}`)
      return `${status} ${body.code}`
    }

    assert.equal(await statusOf('type=marketplace.gig.sold'), '400 VALIDATION_ERROR')
    assert.equal(await statusOf('type=chain.*'), '400 VALIDATION_ERROR')
    assert.equal(await statusOf('type=identity.agent.heartbeat-recorded'), '400 VALIDATION_ERROR')
    assert.equal(await statusOf('gig=none'), '400 VALIDATION_ERROR')
    assert.equal(await statusOf(`gig=${randomUUID()}&job=${randomUUID()}`), '400 VALIDATION_ERROR')
    assert.equal(await statusOf(`agent=${stranger}`), '404 NOT_FOUND')
  })

  it('resumes after a restart, in the order in which all saw it, without gap or repetition', async function () {
    this.timeout(60_000)
    const before = await listen()
    await platform.publish(assigned(randomUUID()))
    await until('a place is known', () => before.frames.length === 1)
    const gigs = Array.from({ length: 30 }, () => randomUUID())
    const messages = gigs.map(gigId => published(assigned(randomUUID(), gigId)))
    await platform.bus.publish([...messages, ...messages.slice(0, 5)])
    await until('all are there', () => before.frames.length === 31)
    before.close()
    await platform.close()
    platform = await start()

    const after = await listen({}, { 'last-event-id': before.frames[0]!.id })
    const further = randomUUID()
    await platform.publish(assigned(randomUUID(), further))

    await until('all come again', () => after.frames.length === 31)
    assert.deepEqual(gigsOf(after.frames), [...gigsOf(before.frames.slice(1)), further])
    assert.deepEqual(new Set(gigsOf(after.frames)), new Set([...gigs, further]))
  })

  it('resumes from its opening where nothing had come before it broke', async function () {
    this.timeout(60_000)
    const before = await listen({ type: 'social.*' })
    await until('its place is known', () => before.place() !== undefined)
    before.close()
    const [missed, further] = [randomUUID(), randomUUID()]
    await platform.publish(assigned(randomUUID(), missed))
    const other = await listen()
    await platform.publish(assigned(randomUUID(), further))
    await until('both have been stored', () => gigsOf(other.frames).includes(further))

    const after = await listen({}, { 'last-event-id': before.place()! })

    await until('both come', () => after.frames.length === 2)
    assert.deepEqual(gigsOf(after.frames), [missed, further])
  })

  it('is open so many times for one agent at most, and again when one is closed', async () => {
    const headers = { 'x-agent-id': randomUUID() }
    const streams = []
    for (let n = 0; n < limits.events.perAgent; n++) streams.push(await listen({}, headers))

    const refused = await listen({}, headers)
    assert.equal(refused.response.status, 429)
    assert.ok(Number(refused.response.headers.get('retry-after')) > 0)
    assert.equal((await listen()).response.status, 200)

    streams[0]?.close()
    await until('there is room again', async () => (await listen({}, headers)).response.ok)
  })
})
