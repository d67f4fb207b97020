import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { agentStatusChanged, limits, type Notification } from '@carapace/api'
import { startPlatform, type TestPlatform, until } from '@carapace/testing'
import { notifications } from './index.ts'
import { assigned } from './testing/assigned.ts'
import { collect, type Frame } from './testing/frames.ts'
import { identityStub } from './testing/identity.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

describe('notification stream', () => {
  let platform: TestPlatform
  const readers: AbortController[] = []

  before(async () => {
    platform = await startPlatform([identityStub, notifications])
  })
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.abort()
  })
  after(() => platform.close())

  const assign = (assigneeId: string) => platform.publish(assigned(assigneeId))
  const listen = async (agentId: string, headers: Record<string, string> = {}) => {
    const reader = new AbortController()
    readers.push(reader)
    const response = await fetch(`${platform.url}/api/agents/${agentId}/notifications/stream`, { headers, signal: reader.signal })
    const frames: Frame<Notification>[] = []
    const [comments, places]: [string[], string[]] = [[], []]
    let isEnded = false
    const end = () => {
      isEnded = true
    }
    if (response.ok) collect(response, frames, comments, places).then(end, end)
    return { response, frames, place: () => places.at(-1), isOpen: () => comments.length > 0, isEnded: () => isEnded, close: () => reader.abort() }
  }

  it('sends what is new, with the id, the type and the whole notification', async () => {
    const agentId = randomUUID()
    await assign(agentId)
    await until('the old one is there', async () => (await inbox(agentId)).length === 1)
    const { response, frames } = await listen(agentId)

    await assign(agentId)

    await until('it arrives', () => frames.length === 1)
    const [newest] = await inbox(agentId)
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
    assert.deepEqual(frames[0], { id: newest?.id, event: 'gig_accepted', data: newest })
  })

  it('resumes where a reader left off, without gap or repetition', async () => {
    const agentId = randomUUID()
    const first = await listen(agentId)
    await assign(agentId)
    await until('the first one arrives', () => first.frames.length === 1)
    first.close()
    await assign(agentId)
    await assign(agentId)
    await until('all are in the inbox', async () => (await inbox(agentId)).length === 3)

    const second = await listen(agentId, { 'last-event-id': first.frames[0]!.id })
    await assign(agentId)

    await until('the rest arrives', () => second.frames.length === 3)
    const expected = (await inbox(agentId)).map(({ id }) => id).reverse()
    assert.deepEqual([first.frames[0]?.id, ...second.frames.map(({ id }) => id)], expected)
  })

  it('resumes from its opening where nothing had come before it broke', async () => {
    const agentId = randomUUID()
    await assign(agentId)
    await until('the old one is there', async () => (await inbox(agentId)).length === 1)
    const first = await listen(agentId)
    await until('its place is known', () => first.place() !== undefined)
    first.close()
    await assign(agentId)
    await until('the second one is there', async () => (await inbox(agentId)).length === 2)

    const { frames } = await listen(agentId, { 'last-event-id': first.place()! })

    await until('it arrives', () => frames.length > 0)
    const [newest] = await inbox(agentId)
    assert.deepEqual(
      frames.map(({ id }) => id),
      [newest?.id],
    )
  })

  it('resumes from its opening where the inbox was empty', async () => {
    const agentId = randomUUID()
    const first = await listen(agentId)
    await until('its place is known', () => first.place() !== undefined)
    first.close()
    const again = await listen(agentId, { 'last-event-id': first.place()! })
    await until('it is open', again.isOpen)
    again.close()
    for (let n = 0; n < 2; n++) await assign(agentId)
    await until('both are there', async () => (await inbox(agentId)).length === 2)

    const { frames } = await listen(agentId, { 'last-event-id': again.place()! })

    await until('both arrive', () => frames.length === 2)
    const expected = (await inbox(agentId)).map(({ id }) => id).reverse()
    assert.deepEqual(
      frames.map(({ id }) => id),
      expected,
    )
  })

  it('sends what a replica writes whose clock is slow', async () => {
    const [empty, other] = [randomUUID(), randomUUID()]
    await assign(other)
    await until('the old one is there', async () => (await inbox(other)).length === 1)
    const rows = platform.service('notifications').platform.db.connection.collection<{ _id: string; createdAt: Date }>('notifications')
    const old = (await rows.findOne({ _id: (await inbox(other))[0]!.id }))!
    const [first, second] = [await listen(empty), await listen(other)]
    await until('both are open', () => first.isOpen() && second.isOpen())

    const late = [empty, other].map(agentId => ({
      ...old,
      _id: randomUUID(),
      eventId: randomUUID(),
      agentId,
      createdAt: new Date(old.createdAt.getTime() - 1_000),
    }))
    await rows.insertMany(late)

    await until('both arrive', () => first.frames.length === 1 && second.frames.length === 1)
    assert.deepEqual(
      [first.frames[0]!.id, second.frames[0]!.id],
      late.map(({ _id }) => _id),
    )
  })

  it('finds what other replicas write also after garbage was collected', async () => {
    const [agentId, other] = [randomUUID(), randomUUID()]
    await assign(other)
    await until('a notification is there', async () => (await inbox(other)).length === 1)
    const rows = platform.service('notifications').platform.db.connection.collection<{ _id: string; createdAt: Date }>('notifications')
    const row = (await rows.findOne({ _id: (await inbox(other))[0]!.id }))!
    const { frames, isOpen } = await listen(agentId)
    await until('it is open', isOpen)

    collectGarbage()
    const more = { ...row, _id: randomUUID(), eventId: randomUUID(), agentId, createdAt: new Date() }
    await rows.insertOne(more)

    await until('it arrives', () => frames.length === 1)
    assert.equal(frames[0]!.id, more._id)
  })

  it('says nothing of other inboxes', async () => {
    const [agentId, otherId] = [randomUUID(), randomUUID()]
    const { frames } = await listen(agentId)

    await assign(otherId)
    await assign(agentId)

    await until('its own arrives', () => frames.length > 0)
    assert.deepEqual(
      frames.map(({ data }) => data.agentId),
      [agentId],
    )
  })

  it('ends when its agent is suspended, and no other does', async () => {
    const [agentId, other] = [randomUUID(), randomUUID()]
    const [own, others] = [await listen(agentId), await listen(other)]
    await until('both are open', () => own.isOpen() && others.isOpen())
    const wallet = `0x${'a'.repeat(40)}`

    await platform.publish(
      agentStatusChanged.of({ agentId, handle: 'a-b', status: 'suspended', wallet, formerWallet: null, cause: 'admin', reason: 'spam' }),
    )
    await until('it has ended', own.isEnded)
    await assign(other)

    await until('the other goes on', () => others.frames.length === 1)
    assert.equal(others.isEnded(), false)
  })

  it('is open five times for one agent at most, and again when one is closed', async () => {
    const agentId = randomUUID()
    const streams = []
    for (let n = 0; n < limits.stream.perAgent; n++) streams.push(await listen(agentId))

    const refused = await listen(agentId)
    assert.equal(refused.response.status, 429)
    assert.ok(Number(refused.response.headers.get('retry-after')) > 0)
    assert.equal(((await refused.response.json()) as { code: string }).code, 'RATE_LIMITED')

    streams[0]?.close()
    await until('there is room again', async () => (await listen(agentId)).response.ok)
  })

  async function inbox(agentId: string): Promise<Notification[]> {
    return (await platform.call('GET', `/api/agents/${agentId}/notifications`)).body.notifications
  }
})
