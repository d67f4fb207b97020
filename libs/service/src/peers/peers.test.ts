import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endpoint, Refusal, type RefusalExtras } from '@carapace/api'
import getPort from 'get-port'
import { type Started, startThings } from '../testing/start-things.fixture.ts'
import { internalKey, thingsApi } from '../testing/things.fixture.ts'
import { isGreeting } from './greeted-connections.ts'
import { makePeers } from './peers.ts'

const { getRow } = thingsApi.internal

describe('a call to a peer', () => {
  let service: Started
  const servers: Server[] = []

  before(async () => {
    service = await startThings()
  })
  after(async () => {
    await service.close()
    for (const server of servers) server.close().closeAllConnections()
  })

  const peers = (key = internalKey) => makePeers(() => service.url, key)
  const row = (id: string, key?: string) => peers(key).call('social', getRow, { params: { id } })
  const refused =
    (code: string, extras: RefusalExtras = {}) =>
    (error: unknown) => {
      assert.ok(error instanceof Refusal, String(error))
      assert.equal(error.code, code)
      for (const [name, value] of Object.entries(extras)) assert.deepEqual(error.extras[name as keyof RefusalExtras], value)
      return true
    }
  async function answering(listener: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      if (isGreeting(request)) response.end()
      else listener(request, response)
    })
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('gets the row, with what is in the path encoded', async () => {
    assert.deepEqual(await row('a'), { id: 'a' })
    for (const segment of ['.', '..', '']) await assert.rejects(row(segment), refused('NOT_FOUND'), segment)
  })

  it('passes the refusals of the owner on', async () => {
    await assert.rejects(row('refused'), refused('NOT_POSTER', { message: 'Only its poster may', details: { poster: 'somebody else' } }))
    await assert.rejects(row('none'), refused('NOT_FOUND', { details: { resource: 'thing' } }))
    await assert.rejects(row('tired'), refused('COOLDOWN_ACTIVE', { retryAfter: 7 }))
    await assert.rejects(row('moving'), refused('INVALID_STATE', { details: { state: 'funding' }, retryable: true }))
    await assert.rejects(
      row('../../healthz?x=1'),
      refused('VALIDATION_ERROR', { errors: [{ path: 'id', message: 'must be 1 to 64 characters of A-Z a-z 0-9 _ - .' }] }),
    )
    await assert.rejects(row('replayed'), refused('REPLAY_DETECTED', { message: 'Payment nonce already used' }))
  })

  it('finds nothing for 404, and only for that', async () => {
    assert.equal(await peers().find('social', getRow, { params: { id: 'none' } }), undefined)
    await assert.rejects(peers().find('social', getRow, { params: { id: 'refused' } }), refused('NOT_POSTER'))
  })

  it('is 503 and may be tried again when the owner fails, is down, or speaks with another key', async () => {
    const down = makePeers(() => 'http://127.0.0.1:9', internalKey)

    await assert.rejects(row('broken'), refused('DEPENDENCY_UNAVAILABLE', { details: { service: 'social' } }))
    await assert.rejects(down.call('social', getRow, { params: { id: 'a' } }), refused('DEPENDENCY_UNAVAILABLE'))
    await assert.rejects(row('a', 'x'.repeat(32)), refused('DEPENDENCY_UNAVAILABLE'))
  })

  describe('whose owner is restarted', () => {
    const found = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"a"}')
    /** Breaks the first connections, one before its answer and one in the middle of it, then answers. */
    async function restarting(): Promise<{ url: string; calls: () => number }> {
      let calls = 0
      const url = await answering((request, response) => {
        calls++
        if (calls === 1) request.socket.destroy()
        else if (calls === 2) response.writeHead(200, { 'content-length': 10 }).write('{"id"', () => request.socket.destroy())
        else found(response)
      })
      return { url, calls: () => calls }
    }
    const noted = endpoint({ method: 'post', path: '/internal/v1/things', caller: 'internal', summary: 'Note' })
    const lookup = endpoint({ method: 'post', path: '/internal/v1/look', caller: 'internal', summary: 'Look up many', rate: 'read' })

    it('is sent again after broken connections when it is a read, with and without a body', async () => {
      for (const read of [getRow, lookup]) {
        const { url, calls } = await restarting()

        const row = await makePeers(() => url, internalKey).call('social', read, { params: { id: 'a' } })

        assert.deepEqual([row, calls()], [{ id: 'a' }, 3])
      }
    })

    it('is sent once when it is a write that may have arrived', async () => {
      const { url, calls } = await restarting()

      await assert.rejects(makePeers(() => url, internalKey).call('social', noted), refused('DEPENDENCY_UNAVAILABLE'))

      assert.equal(calls(), 1)
    })

    it('waits for it to listen again, a write too, and for another address of it', async () => {
      let tries = 0
      const left = `http://127.0.0.1:${await getPort({ host: '127.0.0.1' })}`
      const url = await answering((_request, response) => found(response))
      const callee = makePeers(() => (++tries % 4 === 0 ? url : left), internalKey)

      assert.deepEqual(await callee.call('social', getRow, { params: { id: 'a' } }), { id: 'a' })
      assert.deepEqual(await callee.call('social', noted), { id: 'a' })
      assert.equal(tries, 8)
    })
  })

  it('is 503 when the answer does not come in time, breaks off, or is none of ours', async () => {
    const odd: RequestListener[] = [
      () => {},
      (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":'),
      (request, response) => response.writeHead(200, { 'content-length': 100 }).write('{', () => request.socket.destroy()),
      (_request, response) => response.writeHead(502).end('<html>'),
      (_request, response) => response.writeHead(404).end('{"message":"no such route","code":"ROUTE_NOT_FOUND"}'),
      (_request, response) => response.writeHead(400).end('{"code":"toString"}'),
      (_request, response) => response.end('null'),
    ]

    for (const listener of odd) {
      const url = await answering(listener)
      const call = makePeers(() => url, internalKey).call('social', getRow, { params: { id: 'a' }, timeoutMs: 100 })
      await assert.rejects(call, refused('DEPENDENCY_UNAVAILABLE'))
    }
  })
})
