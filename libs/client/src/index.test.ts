import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { connect, isRefusal, type RetryOptions } from './index.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const retry: RetryOptions = { tries: 4, firstPauseMs: 1 }
const json = (body: unknown, init?: ResponseInit) => new Response(JSON.stringify(body), init)
const refusing = (code: string, status: number, more: object = {}) => json({ message: 'no', code, status, ...more }, { status })

/** Answers every call with what it has received of it. */
const mirror: typeof fetch = async (input, init) => {
  const { method, body } = init ?? {}
  return json({ url: String(input), method, body: body ?? null, headers: Object.fromEntries(new Headers(init?.headers)) })
}
/** Answers one call after the other, and remembers what was sent. */
function sequence(...answers: (() => Response)[]): { send: typeof fetch; keys: (string | null)[] } {
  const keys: (string | null)[] = []
  const send: typeof fetch = async (_, init) => {
    keys.push(new Headers(init?.headers).get('idempotency-key'))
    return (answers.shift() ?? (() => json({ id: 'g1' })))()
  }
  return { send, keys }
}
const gig = { title: 't', description: 'd', budget: 5 }
const lost = (): never => {
  throw new TypeError('fetch failed')
}

describe('the SDK', () => {
  it('reaches every service by name, with the identity set once', async () => {
    const carapace = connect({ baseUrl: 'http://host/', fetch: mirror, identity: { agentId: 'a1', walletAddress: '0xw' } })

    const posted: Record<string, unknown> = await carapace.marketplace.createGig({ body: gig })
    const read: Record<string, unknown> = await carapace.identity.getAgent({ params: { id: 'me' } })

    const { 'x-agent-id': agent, 'x-wallet-address': wallet } = posted.headers as Record<string, string>
    assert.deepEqual([posted.url, posted.method, agent, wallet], ['http://host/api/gigs', 'POST', 'a1', '0xw'])
    assert.equal(read.url, 'http://host/api/agents/me')
  })

  it('reads without an identity', async () => {
    const carapace = connect({ baseUrl: 'http://host', fetch: mirror })

    const { headers } = (await carapace.swarm.getSwarmStatistics()) as unknown as { headers: Record<string, string> }

    assert.deepEqual(headers, {})
  })

  it('writes queries as the platform reads them', async () => {
    const carapace = connect({ baseUrl: 'http://host', fetch: mirror })

    const gigs = (await carapace.marketplace.listGigs({ query: { status: 'open', minBudget: 2.5, limit: 3 } })) as unknown as { url: string }
    const agents = (await carapace.identity.discoverAgents({ query: { skills: ['go', 'rust'] } })) as unknown as { url: string }

    assert.equal(gigs.url, 'http://host/api/gigs?status=open&minBudget=2.5&limit=3')
    assert.equal(agents.url, 'http://host/api/agents/discover?skills=go%2Crust')
  })

  it('knows what calls need and what answers have', () => {
    const carapace = connect({ baseUrl: 'http://host', fetch: mirror })
    const never = async () => {
      const found = await carapace.marketplace.getGig({ params: { id: '1' } })
      const status: 'open' | 'assigned' | 'pending_validation' | 'completed' | 'cancelled' | 'disputed' = found.status
      const picture: Uint8Array = await carapace.identity.getCard({ params: { id: '1' } })
      for await (const { handle } of carapace.identity.listAgents.all()) handle.toUpperCase()
      for await (const { amount } of carapace.treasury.listTreasuryHistory.all({ params: { id: '1' } })) amount.toFixed()
      // @ts-expect-error a gig needs a budget
      await carapace.marketplace.createGig({ body: { title: 't', description: 'd' } })
      // @ts-expect-error no such status
      await carapace.marketplace.listGigs({ query: { status: 'lost' } })
      // @ts-expect-error its path has a parameter
      await carapace.identity.getAgent()
      return [status, picture]
    }

    assert.equal(typeof never, 'function')
  })

  it('throws the refusals of the platform, by code', async () => {
    const fetch: typeof globalThis.fetch = async () => refusing('SCORE_TOO_LOW', 403, { details: { required: 30, actual: 3 }, requestId: 'r1' })
    const carapace = connect({ baseUrl: 'http://host', fetch })

    const error = await carapace.marketplace.cancelGig({ params: { id: '1' } }).catch((caught: unknown) => caught)

    assert.ok(isRefusal(error, 'SCORE_TOO_LOW'))
    assert.ok(!isRefusal(error, 'NOT_POSTER'))
    assert.deepEqual([error.status, error.details, error.requestId, error.isRetryable], [403, { required: 30, actual: 3 }, 'r1', false])
  })

  it('reports an answer that is none of the platform', async () => {
    const carapace = connect({ baseUrl: 'http://host', retry: { tries: 1 }, fetch: async () => new Response('<html>', { status: 502 }) })

    await assert.rejects(carapace.swarm.getSwarmStatistics(), error => isRefusal(error, 'DEPENDENCY_UNAVAILABLE') && error.status === 502)
  })

  it('does not call the platform without a parameter of the path, nor with one that leads elsewhere', async () => {
    const { send, keys } = sequence()
    const carapace = connect({ baseUrl: 'http://host', fetch: send })

    await assert.rejects(carapace.identity.getAgent({ params: { id: '' } }), TypeError)
    for (const id of ['.', '..']) await assert.rejects(carapace.marketplace.cancelGig({ params: { id } }), TypeError)
    assert.deepEqual(keys, [])
  })
})

describe('a call that may succeed later', () => {
  it('is sent again under the same key: no answer, a limit, a conflict', async () => {
    const limited = () => json({ code: 'RATE_LIMITED', message: 'no' }, { status: 429, headers: { 'retry-after': '0' } })
    const { send, keys } = sequence(lost, limited, () => refusing('CONFLICT', 409, { retryable: true }))

    await connect({ baseUrl: 'http://host', retry, fetch: send }).marketplace.createGig({ body: gig })

    assert.equal(keys.length, 4)
    assert.match(keys[0]!, /^[0-9a-f]{32}$/)
    assert.equal(new Set(keys).size, 1)
  })

  it('is not waited for longer than its time, also after garbage was collected', async () => {
    const silent: typeof fetch = (_, init) =>
      new Promise((_answer, fail) => init?.signal?.addEventListener('abort', () => fail(init.signal?.reason as Error)))
    const answer = connect({ baseUrl: 'http://host', retry: { tries: 1 }, timeoutMs: 300, fetch: silent }).marketplace.getGig({ params: { id: 'g' } })
    const refused = assert.rejects(answer, { code: 'DEPENDENCY_UNAVAILABLE', isRetryable: true, message: /no answer within 300 ms/ })

    await new Promise(setImmediate)
    collectGarbage()

    await refused
  })

  it('is sent again where its answer broke off', async () => {
    const broken = () => new Response(new ReadableStream({ start: body => body.error(new TypeError('terminated')) }))
    const { send, keys } = sequence(broken, () => new Response('{"id":'))

    await connect({ baseUrl: 'http://host', retry, fetch: send }).marketplace.createGig({ body: gig })

    assert.deepEqual([keys.length, new Set(keys).size], [3, 1])
  })

  it('is a write of its own each time the program makes it, unless it has a name', async () => {
    const { send, keys } = sequence()
    const { marketplace } = connect({ baseUrl: 'http://host', fetch: send })

    for (const idempotencyKey of [undefined, undefined, 'mine'])
      await marketplace.createGig({ body: gig, ...(idempotencyKey ? { idempotencyKey } : {}) })

    assert.notEqual(keys[0], keys[1])
    assert.equal(keys[2], 'mine')
  })

  it('is not sent again where that is final, or would last too long', async () => {
    const cooling = () => json({ code: 'COOLDOWN_ACTIVE', message: 'no' }, { status: 429, headers: { 'retry-after': '3600' } })
    for (const answer of [() => refusing('NOT_POSTER', 403), cooling]) {
      const { send, keys } = sequence(answer)

      await assert.rejects(connect({ baseUrl: 'http://host', retry, fetch: send }).marketplace.createGig({ body: gig }))
      assert.equal(keys.length, 1)
    }
  })

  it('ends with its tries, and with the signal of its caller', async () => {
    const { send, keys } = sequence(lost, lost, lost, lost, lost)
    const { marketplace } = connect({ baseUrl: 'http://host', retry, fetch: send })

    await assert.rejects(marketplace.createGig({ body: gig }), error => isRefusal(error, 'DEPENDENCY_UNAVAILABLE') && error.isRetryable)
    assert.equal(keys.length, 4)
    const reason = new Error('enough')
    await assert.rejects(marketplace.createGig({ body: gig, signal: AbortSignal.abort(reason) }), error => error === reason)
  })

  it('reads have no key', async () => {
    const { send, keys } = sequence()

    await connect({ baseUrl: 'http://host', fetch: send }).marketplace.getGig({ params: { id: '1' } })

    assert.deepEqual(keys, [null])
  })
})

describe('a list', () => {
  const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ id: `g${from + i}` }))
  const collect = async <T>(all: AsyncIterable<T>): Promise<T[]> => {
    const found: T[] = []
    for await (const one of all) found.push(one)
    return found
  }
  /** Serves a list, and moves it by one entry before each page after the first. */
  const listing = (entries: { id: string }[], wrap: (page: object[]) => unknown): { send: typeof fetch; urls: string[] } => {
    const urls: string[] = []
    const send: typeof fetch = async input => {
      const { searchParams, search } = new URL(String(input))
      urls.push(search)
      const [limit, offset] = [Number(searchParams.get('limit')), Number(searchParams.get('offset') ?? (Number(searchParams.get('page')) - 1) * 2)]
      if (urls.length > 1) entries = [{ id: `new${urls.length}` }, ...entries]
      return json(wrap(entries.slice(offset, offset + limit)))
    }
    return { send, urls }
  }

  it('is read page by page, and no entry comes twice when new ones push it on', async () => {
    const { send, urls } = listing(numbers(0, 5), page => page)
    const { marketplace } = connect({ baseUrl: 'http://host', fetch: send })

    const found = await collect(marketplace.listGigs.all({ query: { status: 'open', limit: 2 } }))

    assert.deepEqual(
      found.map(({ id }) => id),
      ['g0', 'g1', 'g2', 'g3', 'g4'],
    )
    assert.equal(urls[1], '?status=open&limit=2&offset=2')
  })

  it('is found under its name, and by the number of its page', async () => {
    const { send, urls } = listing(numbers(0, 1), transactions => ({ transactions, total: 1 }))
    const { treasury } = connect({ baseUrl: 'http://host', fetch: send })

    assert.equal((await collect(treasury.listTreasuryHistory.all({ params: { id: 'a' }, query: { limit: 2 } }))).length, 1)
    assert.deepEqual(urls, ['?limit=2&page=1'])
  })
})
