import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { WebSocket } from 'ws'
import { call, cleanups, open, payments, type RpcAnswer, receipt, request, send, sender, until } from './test/support.ts'

describe('the door', () => {
  const after = cleanups()
  afterEach(after.run)

  async function connect(url: string): Promise<WebSocket> {
    const socket = new WebSocket(url)
    after.add(() => socket.terminate())
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    return socket
  }
  const nextMessage = (socket: WebSocket) =>
    new Promise<unknown>(resolve => socket.once('message', data => resolve(JSON.parse(data.toString()) as unknown)))

  const garbage: [name: string, body: string, code?: number][] = [
    ['what is not JSON', '{"jsonrpc":', -32700],
    ['an empty body', '', -32700],
    ['an empty batch', '[]', -32600],
    ['a number', '5', -32600],
    ['null', 'null', -32600],
    ['a call without version', '{"id":1,"method":"eth_chainId"}', -32600],
    ['a method that is no string', '{"jsonrpc":"2.0","id":1,"method":{}}', -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"eth_chainId"}', -32600],
    ['params that are a string', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":"x"}', -32602],
    ['a raw transaction that is no hex', '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0xzz"]}', -32602],
    ['a raw transaction of odd length', '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x123"]}', -32602],
    ['a raw transaction that is missing', '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction"}', -32602],
    ['a raw transaction that anvil cannot read', '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x1234"]}', -32602],
    ['a name of every object', '{"jsonrpc":"2.0","id":1,"method":"constructor"}'],
    ['time that is no number', '{"jsonrpc":"2.0","id":1,"method":"evm_increaseTime","params":["soon"]}', -32602],
    ['more blocks than a call may make', '{"jsonrpc":"2.0","id":1,"method":"anvil_mine","params":["0xffffff"]}', -32602],
    ['a batch that is too long', `[${'1,'.repeat(1000)}1]`, -32600],
    ['brackets without end', '['.repeat(100_000), -32700],
  ]
  it('answers garbage with a JSON-RPC error and goes on, by HTTP and WebSocket', async () => {
    const { rpcUrl, wsUrl } = await open(after.add)
    const socket = await connect(wsUrl)
    for (const [name, body, code] of garbage) {
      const byHttp = (await (await fetch(rpcUrl, { method: 'POST', body })).json()) as RpcAnswer
      socket.send(body)
      const bySocket = (await nextMessage(socket)) as RpcAnswer

      for (const { error } of [byHttp, bySocket]) {
        assert.ok(error, name)
        // Where no code is given, anvil's own is expected.
        assert.equal(error.code, code ?? error.code, name)
      }
    }
    assert.equal(await call(rpcUrl, 'eth_chainId'), '0x14a34')
  })

  it('refuses what would sign for others or change the way of mining', async () => {
    const { rpcUrl } = await open(after.add)

    for (const method of ['eth_sendTransaction', 'eth_fillTransaction', 'anvil_impersonateAccount', 'evm_setAutomine', 'anvil_setIntervalMining']) {
      const { error } = await request(rpcUrl, method, [{}])
      assert.equal(error?.code, -32601, method)
      assert.match(error.message, new RegExp(`^${method} is not served here`))
    }
  })

  it('refuses a body that is too large', async () => {
    const { rpcUrl, wsUrl } = await open(after.add)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: ['x'.repeat(3 * 1024 * 1024)] })

    const response = await fetch(rpcUrl, { method: 'POST', body })
    const socket = await connect(wsUrl)
    const closed = new Promise(resolve => socket.once('close', code => resolve(code)))
    socket.send(body)

    assert.equal(response.status, 413)
    assert.equal(await closed, 1009)
    assert.equal(await call(rpcUrl, 'eth_chainId'), '0x14a34')
  })

  it('serves pages of other sites what a public RPC serves, entry by entry, and nothing that changes the chain by fiat', async () => {
    const { rpcUrl, wsUrl } = await open(after.add)
    const items = [
      { jsonrpc: '2.0', id: 1, method: 'eth_chainId' },
      { jsonrpc: '2.0', id: 2, method: 'anvil_setBalance', params: [sender.address, '0x1'] },
      { jsonrpc: '2.0', id: 3, method: 'net_version' },
      { jsonrpc: '2.0', id: 4, method: 'eth_sign', params: [sender.address, '0x12'] },
      { jsonrpc: '2.0', id: 5, method: 'eth_signTypedData_v4', params: [sender.address, {}] },
    ]
    const codes = (answers: RpcAnswer[]) => answers.map(({ id, error }) => [id, error?.code])
    const refused = [
      [1, undefined],
      [2, -32601],
      [3, undefined],
      [4, -32601],
      [5, -32601],
    ]
    const post = async (headers: Record<string, string>) =>
      (await (await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(items) })).json()) as RpcAnswer[]

    assert.deepEqual(codes(await post({ origin: 'https://other.example' })), refused)
    assert.deepEqual(codes(await post({ origin: 'null' })), refused)
    assert.equal(codes(await post({ origin: rpcUrl }))[1]![1], undefined)
    const page = new WebSocket(wsUrl, { origin: 'https://other.example' })
    after.add(() => page.terminate())
    await new Promise(resolve => page.once('open', resolve))
    const answered = nextMessage(page)
    page.send(JSON.stringify(items))
    assert.deepEqual(codes((await answered) as RpcAnswer[]), refused)
  })

  it('answers under the names of this machine only', async () => {
    const { rpcUrl, wsUrl } = await open(after.add)
    const { port } = new URL(rpcUrl)
    const status = await new Promise(resolve => {
      const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', headers: { host: `rebound.example:${port}` } }, ({ statusCode }) =>
        resolve(statusCode),
      )
      request.end('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
    })
    const socket = new WebSocket(wsUrl, { headers: { host: `rebound.example:${port}` } })
    const refused = await new Promise(resolve => socket.once('error', resolve))

    assert.equal(status, 403)
    assert.match(String(refused), /401/)
  })

  it('answers a mixed batch item by item, in order', async () => {
    const { rpcUrl } = await open(after.add)
    const [payment] = await payments(1)
    const items = [
      { jsonrpc: '2.0', id: 'a', method: 'anvil_setBalance', params: [sender.address, '0xde0b6b3a7640000'] },
      { jsonrpc: '2.0', id: 'b', method: 'eth_getBalance', params: [sender.address, 'latest'] },
      7,
      { jsonrpc: '2.0', method: 'evm_mine' },
      { jsonrpc: '2.0', id: 'c', method: 'eth_sendTransaction' },
      { jsonrpc: '2.0', id: 'd', method: 'eth_sendRawTransaction', params: [payment!.raw] },
      { jsonrpc: '2.0', id: 'e', method: 'evm_mine' },
      { jsonrpc: '2.0', id: 'f', method: 'eth_getTransactionCount', params: [sender.address, 'latest'] },
    ]

    const answers = (await (await fetch(rpcUrl, { method: 'POST', body: JSON.stringify(items) })).json()) as RpcAnswer[]

    assert.deepEqual(
      answers.map(({ id, result, error }) => [id, error ? error.code : result]),
      [
        ['a', null],
        ['b', '0xde0b6b3a7640000'],
        [null, -32600],
        ['c', -32601],
        ['d', payment!.hash],
        ['e', '0x0'],
        ['f', '0x1'],
      ],
    )
  })

  it('preserves the order of transactions that come in batches over one WebSocket, without waiting for answers', async () => {
    const { rpcUrl, wsUrl } = await open(after.add, { mining: { debounceMs: 2, heartbeatMs: 0 } })
    const socket = await connect(wsUrl)
    const sent = await payments(300)

    const answers: RpcAnswer[] = []
    socket.on('message', data => answers.push(...(JSON.parse(data.toString()) as RpcAnswer[])))
    for (let from = 0; from < sent.length; from += 50) {
      const batch = sent.slice(from, from + 50)
      socket.send(JSON.stringify(batch.map(({ raw, hash }) => ({ jsonrpc: '2.0', id: hash, method: 'eth_sendRawTransaction', params: [raw] }))))
    }

    await receipt(rpcUrl, sent.at(-1)!.hash)
    await until('all answers', async () => answers.length === 300)
    assert.ok(answers.every(({ id, result }) => id === result))
    assert.equal(await call(rpcUrl, 'eth_getTransactionCount', [sender.address, 'latest']), '0x12c')
  })

  it('carries subscriptions to new heads', async () => {
    const { rpcUrl, wsUrl } = await open(after.add, { mining: { debounceMs: 2, heartbeatMs: 0 } })
    const socket = await connect(wsUrl)
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    await nextMessage(socket)
    const [payment] = await payments(1)
    const heads: string[] = []
    socket.on('message', data => heads.push((JSON.parse(data.toString()) as { params: { result: { hash: string } } }).params.result.hash))

    await send(rpcUrl, payment!.raw)

    const { blockHash } = await receipt(rpcUrl, payment!.hash)
    await until('its head', async () => heads.includes(blockHash))
  })

  it('lets a web page of any origin call it, as a wallet in the browser does', async () => {
    const { rpcUrl } = await open(after.add)

    const preflight = await fetch(rpcUrl, { method: 'OPTIONS' })

    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
    assert.equal((await fetch(rpcUrl)).status, 405)
  })
})
