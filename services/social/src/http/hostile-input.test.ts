import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { errors } from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import fc from 'fast-check'
import { type Harness, newAgents, newGig, startHarness } from '../testing/harness.ts'
import { faultsOf } from '../testing/reads.ts'

const requests = 2_000
const concurrency = 25

describe('hostile input', () => {
  let harness: Harness
  let agents: TestAgent[]
  let gigId: string

  before(async () => {
    harness = await startHarness()
    agents = await newAgents(harness, 3)
    gigId = newGig(harness, { posterId: agents[0]!.id }).gigId
  })
  after(() => harness.close())

  const odd = fc.oneof(
    fc.string({ maxLength: 70 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('__proto__', 'constructor', '..', '.', '%00', '$ne', 'NaN', '0', '-1', 'x'.repeat(65), '🦀', 'a\u0301', '\u202e', 'null'),
  )
  const agentId = () => fc.constantFrom(...agents.map(({ id }) => id))
  const id = () => fc.oneof({ weight: 5, arbitrary: agentId() }, { weight: 1, arbitrary: fc.constant(randomUUID()) }, { weight: 2, arbitrary: odd })
  const path = () =>
    fc
      .tuple(id(), id(), odd, fc.constantFrom('follow', 'followers', 'following', 'comment', 'comments', 'messages', 'message', 'accept', 'review'))
      .map(([one, two, other, name]) => [encodeURIComponent(one), encodeURIComponent(two), encodeURIComponent(other), name])
      .chain(([one, two, other, name]) =>
        fc.constantFrom(
          `/api/agents/${one}/${name}`,
          `/api/agents/${one}/messages/${two}`,
          `/api/agents/${one}/messages/${two}/${name === 'follow' ? 'decline' : 'accept'}`,
          `/api/agents/${one}/${name}?limit=${other}&offset=${two}`,
          `/api/agents/${one}/messages/${two}?offset=${other}`,
          `/api/reviews/agent/${one}?limit=${other}`,
          '/api/reviews',
        ),
      )
  const value = () => fc.oneof(fc.jsonValue({ maxDepth: 2 }), odd, fc.constantFrom(gigId), fc.integer(), fc.double(), id())
  const body = () =>
    fc.oneof(
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '{"a": ',
          '[1]',
          'null',
          '"x"',
          '{"__proto__": {"content": "x"}}',
          '['.repeat(3000),
          `{"content":"${'y'.repeat(110_000)}"}`,
        ),
      },
      { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
      {
        weight: 5,
        arbitrary: fc
          .record(
            {
              ...{ content: value(), messageType: fc.oneof(fc.constantFrom('TEXT', 'GIG_OFFER'), value()), gigId: value(), reason: value() },
              ...{ followerId: value(), authorId: value(), reviewerId: value(), revieweeId: value(), rating: value(), comment: value() },
            },
            { requiredKeys: [] },
          )
          .map(fields => JSON.stringify(fields)),
      },
    )
  const request = () =>
    fc.record({
      ...{ method: fc.constantFrom('GET', 'POST', 'POST', 'POST', 'DELETE', 'PATCH'), path: path(), body: body() },
      headers: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...agents.map(({ headers }) => headers)) },
        { weight: 1, arbitrary: fc.constantFrom({}, { 'x-agent-id': '$ne' }) },
      ),
    })

  it(`gets an answer below 500 and, for errors, the declared body, in ${requests.toLocaleString('en')} generated requests`, async function () {
    this.timeout(120_000)
    const send = async ({ method, path, body, headers }: { method: string; path: string; body: string; headers: object }) => {
      const { status, body: answer } = await harness.call(method, path, {
        headers: headers as Record<string, string>,
        ...(method === 'GET' ? {} : { raw: body }),
      })
      assert.ok(status < 500, `${method} ${path} ${body.slice(0, 300)} → ${status} ${JSON.stringify(answer)}`)
      if (status < 400) return
      assert.ok(Object.hasOwn(errors, answer.code), JSON.stringify(answer))
      assert.deepEqual([answer.status, typeof answer.message], [status, 'string'])
    }
    const list = fc.array(request(), { minLength: concurrency, maxLength: concurrency })
    await fc.assert(
      fc.asyncProperty(list, async all => {
        await Promise.all(all.map(send))
      }),
      { numRuns: requests / concurrency },
    )
    assert.deepEqual(await faultsOf(harness), [])
  })
})
