import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { client } from './client.ts'
import { endpoint } from './endpoint.ts'
import { Refusal } from './errors.ts'
import { pageQuery } from './fields.ts'

const endpoints = {
  getThing: endpoint({
    method: 'get',
    path: '/things/:id',
    caller: 'public',
    summary: 'One thing',
    query: pageQuery,
    response: z.looseObject({ seen: z.string() }),
  }),
  makeThing: endpoint({
    method: 'post',
    path: '/things',
    caller: 'wallet',
    summary: 'A new thing',
    body: z.object({ name: z.string() }),
    response: z.looseObject({ seen: z.string() }),
  }),
  getPicture: endpoint({ method: 'get', path: '/picture', caller: 'public', summary: 'A picture', produces: 'image/png' }),
}

type Answer = { status: number; body: string | Buffer; headers?: Record<string, string> }

/** Runs `work` against a server that answers as given, and is closed afterwards. */
async function against(answer: (request: IncomingMessage, body: string) => Answer, work: (baseUrl: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { status, body, headers } = answer(request, Buffer.concat(chunks).toString())
      response.writeHead(status, headers).end(body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).finally(() => {
    server.closeAllConnections()
    server.close()
  })
}
const echo = (request: IncomingMessage, body: string): Answer => ({
  status: 200,
  body: JSON.stringify({ seen: `${request.method} ${request.url} ${request.headers['x-agent-id'] ?? ''} ${body}`.trim() }),
})

describe('the client', () => {
  it('puts parameters, query, body and headers where they belong', async () => {
    await against(echo, async baseUrl => {
      const api = client(endpoints, { baseUrl, headers: { 'x-agent-id': 'a1' } })

      assert.equal((await api.getThing({ params: { id: 'x/y z' }, query: { limit: 5 } })).seen, 'GET /things/x%2Fy%20z?limit=5 a1')
      assert.equal((await api.makeThing({ body: { name: 'n' }, headers: { 'x-agent-id': 'a2' } })).seen, 'POST /things a2 {"name":"n"}')
    })
  })

  it('throws the refusal that the service meant', async () => {
    const body = JSON.stringify({ message: 'No more', code: 'RATE_LIMITED', status: 429, details: { left: 0 } })
    await against(
      () => ({ status: 429, body, headers: { 'retry-after': '7' } }),
      async baseUrl => {
        const thrown = await client(endpoints, { baseUrl })
          .getThing({ params: { id: '1' } })
          .catch((error: unknown) => error)

        assert.ok(thrown instanceof Refusal)
        assert.equal(thrown.code, 'RATE_LIMITED')
        assert.deepEqual(thrown.extras, { message: 'No more', retryAfter: 7, details: { left: 0 } })
      },
    )
  })

  it('hands over the whole challenge of a 402', async () => {
    const challenge = { paymentRequired: true, nonce: '0x1', code: 'PAYMENT_REQUIRED', status: 402, message: 'Payment required' }
    await against(
      () => ({ status: 402, body: JSON.stringify(challenge) }),
      async baseUrl => {
        const thrown = await client(endpoints, { baseUrl })
          .makeThing({ body: { name: 'n' } })
          .catch((error: unknown) => error)

        assert.ok(thrown instanceof Refusal)
        assert.deepEqual(thrown.extras.details, challenge)
      },
    )
  })

  it('says DEPENDENCY_UNAVAILABLE when nobody or something else answers', async () => {
    const nobody = client(endpoints, { baseUrl: 'http://127.0.0.1:1' })
    await assert.rejects(nobody.getThing({ params: { id: '1' } }), (error: Refusal) => error.code === 'DEPENDENCY_UNAVAILABLE')
    await against(
      () => ({ status: 502, body: '<html>' }),
      async baseUrl => {
        await assert.rejects(
          client(endpoints, { baseUrl }).getThing({ params: { id: '1' } }),
          (error: Refusal) => error.code === 'DEPENDENCY_UNAVAILABLE',
        )
      },
    )
  })

  it('gives pictures as bytes', async () => {
    await against(
      () => ({ status: 200, body: Buffer.from([137, 80, 78, 71]), headers: { 'content-type': 'image/png' } }),
      async baseUrl => {
        assert.deepEqual(await client(endpoints, { baseUrl }).getPicture(), new Uint8Array([137, 80, 78, 71]))
      },
    )
  })

  it('does not call a path with a parameter missing', async () => {
    const api = client(endpoints, { baseUrl: 'http://127.0.0.1:1' })

    await assert.rejects(api.getThing({ params: { id: '' } }), TypeError)
  })
})
