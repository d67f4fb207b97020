import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { until } from '@carapace/testing'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { verifyRequest } from '@slicekit/erc8128'
import { getBytes, verifyMessage, Wallet } from 'ethers'
import { relayed } from './relay.ts'

const wallet = Wallet.createRandom()
const program = fileURLToPath(new URL('../bin/carapace-mcp.js', import.meta.url))

describe('carapace-mcp', function () {
  this.timeout(60_000)
  let server: Server
  let url: string
  let folder: string
  let seen: { request: Request; method: string }[]
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-mcp-'))
    await writeFile(path.join(folder, 'key'), `${wallet.privateKey}\n`)
    const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
      const body = await text(incoming)
      const message = JSON.parse(body) as { id?: number; method: string }
      const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
      seen.push({ request: new Request(`${url}${incoming.url}`, { method: 'POST', headers, body }), method: message.method })
      if (message.id === undefined) return void response.writeHead(202).end()
      const results: Record<string, object> = {
        initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'stand-in', version: '1' } },
        'tools/call': { content: [{ type: 'text', text: 'done' }] },
      }
      if (message.method === 'tools/list')
        return void response.writeHead(429).end(JSON.stringify({ message: 'Slow down', code: 'RATE_LIMITED', status: 429 }))
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: results[message.method] }))
    }
    server = createServer((incoming, response) => void answer(incoming, response)).listen(0, '127.0.0.1')
    await until('the stand-in listens', () => server.listening)
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    seen = []
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  })

  async function started(args: string[]): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, '--url', url, ...args], stderr: 'ignore' }))
    return client
  }

  it('passes each message of a client on, signed by the key in a file', async () => {
    const client = await started(['--key-file', path.join(folder, 'key')])
    const result = await client.callTool({ name: 'post_gig', arguments: { title: 'Audit' } })
    await client.close()

    assert.deepEqual(result.content, [{ type: 'text', text: 'done' }])
    assert.deepEqual(
      seen.map(({ method }) => method),
      ['initialize', 'notifications/initialized', 'tools/call'],
    )
    assert.equal(seen.at(-1)?.request.headers.get('mcp-protocol-version'), '2025-06-18')
    for (const { request, method } of seen) {
      const verified = await verifyRequest({
        request,
        verifyMessage: async ({ address, message, signature }) =>
          verifyMessage(getBytes(message.raw), signature).toLowerCase() === address.toLowerCase(),
        nonceStore: { consume: async () => true },
      })
      assert.equal(verified.ok && verified.address.toLowerCase(), wallet.address.toLowerCase(), method)
    }
  })

  it('signs nothing without a key, and says what the gateway refuses', async () => {
    const client = await started([])
    await assert.rejects(client.listTools(), /RATE_LIMITED Slow down/)
    await client.close()

    assert.ok(seen.every(({ request }) => request.headers.get('signature') === null))
  })

  /** As a shell runs it: all input together, until it ends by itself. */
  const run = (args: string[], input: string): Promise<{ code: number; output: string; errors: string }> =>
    new Promise(resolve => {
      const child = execFile(process.execPath, [program, ...args], { timeout: 50_000 }, (error, output, errors) =>
        resolve({ code: error ? Number(error.code) : 0, output, errors }),
      )
      child.stdin!.end(input)
    })

  it('answers what it was sent before its input ended, and says whose signature its calls bear', async () => {
    const call = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'post_gig', arguments: {} } })}\n`

    const { code, output, errors } = await run(['--url', url, '--key-file', path.join(folder, 'key')], call(1) + call(2))

    const ids = output
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).id)
    assert.deepEqual([code, ids.toSorted()], [0, [1, 2]])
    assert.match(errors, new RegExp(wallet.address))
  })

  it('says in one line why it does not start', async () => {
    await writeFile(path.join(folder, 'none'), 'secret words')
    for (const args of [
      ['--key-file', path.join(folder, 'none')],
      ['--key-file', path.join(folder, 'absent')],
      ['--url', 'nowhere'],
      ['--what'],
      ['--help'],
    ]) {
      const { code, output, errors } = await run(args, '')

      assert.deepEqual([code, output], [1, ''], args.join(' '))
      assert.match(errors, /^carapace-mcp: .*\n$/, args.join(' '))
      assert.doesNotMatch(errors, /secret words/)
    }
  })

  it('says that there is no gateway', async () => {
    const broken = () => Promise.reject(new Error('connect ECONNREFUSED'))
    const [answer] = await relayed({ jsonrpc: '2.0', id: 7, method: 'ping' }, { url: 'http://127.0.0.1:9', send: broken })
    const [nothing] = await relayed({ jsonrpc: '2.0', method: 'notifications/initialized' }, { url: 'http://127.0.0.1:9', send: broken })

    assert.match(JSON.stringify(answer), /"id":7,"error":.*ECONNREFUSED/)
    assert.equal(nothing, undefined)
  })

  it('names the file of a key that it cannot read, and not the key', async () => {
    await writeFile(path.join(folder, 'bad'), 'secret words')
    const { walletIn } = await import('./wallet-in.ts')

    await assert.rejects(
      walletIn(path.join(folder, 'bad'), undefined),
      (error: Error) => /bad holds neither/.test(error.message) && !error.message.includes('secret'),
    )
  })
})
