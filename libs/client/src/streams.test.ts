import assert from 'node:assert/strict'
import { connect, isRefusal, type StreamEvent } from './index.ts'

const frame = (id: number, type = 'gig_accepted') => `id: ${id}\nevent: ${type}\ndata: {"n":${id}}\n\n`
/** One answer for each connection, in pieces that end anywhere. */
function streaming(...connections: (string[] | (() => Response))[]): { send: typeof fetch; requested: [string, string | null][] } {
  const requested: [string, string | null][] = []
  const send: typeof fetch = async (input, init) => {
    requested.push([String(input), new Headers(init?.headers).get('last-event-id')])
    const next = connections.shift() ?? (() => new Response('{"code":"NOT_FOUND","message":"no"}', { status: 404 }))
    if (typeof next === 'function') return next()
    const parts = next.map(text => new TextEncoder().encode(text))
    return new Response(new ReadableStream({ pull: body => (parts.length > 0 ? body.enqueue(parts.shift()!) : body.close()) }))
  }
  return { send, requested }
}
async function collect<Data>(events: AsyncIterable<StreamEvent<Data>>, into: StreamEvent<unknown>[]): Promise<void> {
  for await (const event of events) into.push(event)
}

describe('a stream of events', () => {
  it('gives id, type and data of each event, however the bytes arrive', async () => {
    const { send } = streaming([': open\n\nid: 1\neve', 'nt: a.b.v1\r\ndata: {"n":\r\ndata: 1}\r\n', '\r\n: still here\n\n', frame(2)])
    const found: StreamEvent<unknown>[] = []

    await assert.rejects(collect(connect({ baseUrl: 'http://host', fetch: send }).stream.events(), found))

    assert.deepEqual(found, [
      { id: '1', type: 'a.b.v1', data: { n: 1 } },
      { id: '2', type: 'gig_accepted', data: { n: 2 } },
    ])
  })

  it('goes on after the last event where a connection ends or breaks', async () => {
    const broken = () => new Response(new ReadableStream({ start: body => body.error(new TypeError('terminated')) }))
    const { send, requested } = streaming([frame(1)], broken, [frame(2)])
    const found: StreamEvent<unknown>[] = []

    await assert.rejects(collect(connect({ baseUrl: 'http://host', fetch: send }).stream.events({ gig: 'g1', lastEventId: '0' }), found), error =>
      isRefusal(error, 'NOT_FOUND'),
    )

    const url = 'http://host/api/events?gig=g1'
    assert.deepEqual(requested, [
      [url, '0'],
      [url, '1'],
      [url, '1'],
      [url, '2'],
    ])
    assert.deepEqual(
      found.map(({ id }) => id),
      ['1', '2'],
    )
  })

  it('goes on from the place that the platform has named, also where nothing had happened before the connection broke', async () => {
    const { send, requested } = streaming([': open\nid: 7\nretry: 2000\n\n', ': still here\nid: 9\n\n'], [frame(10)])
    const found: StreamEvent<unknown>[] = []

    await assert.rejects(collect(connect({ baseUrl: 'http://host', fetch: send }).stream.events(), found))

    assert.deepEqual([requested.map(([, place]) => place), found.map(({ id }) => id)], [[null, '9', '10'], ['10']])
  })

  it('ends with what is final: no agent named, a signer that declines', async () => {
    const { send, requested } = streaming([frame(1)])
    const read = (client: ReturnType<typeof connect>, agentId: string) => collect(client.stream.notifications(agentId), [])
    const signer = { address: `0x${'1'.repeat(40)}`, signMessage: () => Promise.reject(new Error('user rejected')) }

    for (const id of ['', '..']) await assert.rejects(read(connect({ baseUrl: 'http://host', fetch: send }), id), TypeError)
    await assert.rejects(read(connect({ baseUrl: 'http://host', fetch: send, signer }), 'a1'), /user rejected/)

    assert.deepEqual(requested, [])
  })

  it('goes on where no connection is to be had for a while', async () => {
    const lost = () => {
      throw new TypeError('fetch failed')
    }
    const busy = () => new Response('{"code":"RATE_LIMITED","message":"no"}', { status: 429 })
    const { send, requested } = streaming([frame(1)], lost, busy, [frame(2)])
    const found: StreamEvent<unknown>[] = []

    await assert.rejects(collect(connect({ baseUrl: 'http://host', fetch: send, retry: { tries: 1 } }).stream.events(), found), { code: 'NOT_FOUND' })

    assert.deepEqual(
      [requested.map(([, place]) => place), found.map(({ id }) => id)],
      [
        [null, '1', '1', '1', '2'],
        ['1', '2'],
      ],
    )
  })

  it('ends with its signal, and when nobody reads on', async () => {
    const { send, requested } = streaming([frame(1)], [frame(2)])
    const end = new AbortController()
    const { stream } = connect({ baseUrl: 'http://host', fetch: send })

    for await (const _ of stream.notifications('a1')) break
    for await (const _ of stream.notifications('a1', { signal: end.signal })) end.abort()

    assert.deepEqual(requested, Array(2).fill(['http://host/api/agents/a1/notifications/stream', null]))
  })
})
