import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FaultyNode, startFaultyHttpNode } from './faulty-node.ts'

describe('a faulty node at HTTP', () => {
  let upstream: Server
  let node: FaultyNode
  before(async () => {
    upstream = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => {
        body += chunk
      })
      request.on('end', () => {
        const calls = [JSON.parse(body)].flat() as { id: number }[]
        const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x2' }))
        response.end(JSON.stringify(body.startsWith('[') ? answers : answers[0]))
      })
    })
    await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
    node = await startFaultyHttpNode(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`, () => 0.5)
  })
  after(async () => {
    await node.close()
    upstream.closeAllConnections()
    await new Promise(resolve => upstream.close(resolve))
  })
  afterEach(() => node.heal())

  const post = async <Answer>(body: unknown, signal = AbortSignal.timeout(5_000)) =>
    (await (await fetch(node.url, { method: 'POST', body: JSON.stringify(body), signal })).json()) as Answer
  const request = post<{ result?: string; error?: { code: number } }>
  const count = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_getTransactionCount', params: ['0xa', 'latest'] })

  it('passes calls and batches', async () => {
    assert.equal((await request(count(1))).result, '0x2')
    const answers = await post<{ id: number }[]>([count(2), count(3)])
    assert.deepEqual(
      answers.map(({ id }) => id),
      [2, 3],
    )
  })

  it('falsifies, refuses, loses answers and cannot be reached', async () => {
    node.faults.nonceOffset = 3
    assert.equal((await request(count(1))).result, '0x5')
    node.faults.refuse = 1
    assert.equal((await request(count(1))).error?.code, -32603)
    node.heal()
    node.faults.lose = 1
    await assert.rejects(request(count(1), AbortSignal.timeout(50)), /timeout|abort/i)
    node.faults.down = true
    await assert.rejects(request(count(1)), /fetch failed/)
  })
})
