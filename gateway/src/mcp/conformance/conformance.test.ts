import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import express from 'express'
import type { Outer } from '../../inside/inside.ts'
import { type Harness, startHarness } from '../../testing/harness.ts'
import { mcpProtocol } from '../protocol.ts'
import { failingAtTheDoor, failingWithFixtures } from './expected.ts'
import { fixtureServer } from './suite.fixture.ts'

const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
const asModule = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`
/** It imports a function of Node 22, which it calls for clients only. */
const fsWithGlob = asModule(`export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => []`)
const resolver = asModule(`export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/') ? { url: ${JSON.stringify(fsWithGlob)}, shortCircuit: true } : next(name, context)`)
const preload = asModule(`import { register } from 'node:module'; register(${JSON.stringify(resolver)})`)

describe('the conformance suite of MCP', function () {
  this.timeout(180_000)
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-mcp-conformance-'))
  })
  after(() => rm(folder, { recursive: true }))

  /** All its scenarios for servers. The suite fails where one fails that is not in the list, and where one of the list holds. */
  async function hold(url: string, failing: Readonly<Record<string, string>>): Promise<void> {
    const baseline = path.join(folder, 'expected.yml')
    await writeFile(
      baseline,
      `server:\n${Object.entries(failing)
        .map(([name, why]) => `  - ${name} # ${why}\n`)
        .join('')}`,
    )
    const args = ['--import', preload, suite, 'server', '--url', `${url}/mcp`, '--suite', 'all', '--expected-failures', baseline]

    const { code, text } = await new Promise<{ code: number; text: string }>(resolve =>
      execFile(process.execPath, args, { cwd: folder, timeout: 150_000 }, (error, out, errors) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, text: out + errors }),
      ),
    )

    const summary = text.slice(Math.max(0, text.indexOf('=== SUMMARY')))
    assert.equal(code, 0, summary.slice(-6_000))
    assert.match(text, /Running all suite \(32 scenarios\)/)
  }

  describe('against the gateway', () => {
    let harness: Harness
    before(async () => {
      harness = await startHarness()
    })
    after(() => harness.close())

    it('holds in all that needs neither its fixtures nor sessions', () => hold(harness.url, failingAtTheDoor))
  })

  describe('against its fixtures, over the transport of the gateway', () => {
    let server: Server
    let url: string
    before(async () => {
      const nobody = { call: () => assert.fail('the fixtures call nothing'), agentId: async () => undefined, wallet: () => undefined }
      const me = { walletAddress: null, agentId: null, isRegistered: false, isSigned: false }
      const open = () =>
        mcpProtocol({ performerOf: () => nobody, meOf: async () => me, authMode: 'plain', publicBaseUrl: url, openServer: fixtureServer })
      const app = express().post('/mcp', async (request, response) => {
        const outer = { request, body: await buffer(request), requestId: 'conformance', count: async () => {}, signal: new AbortController().signal }
        await open()(outer as unknown as Outer, response, [])
      })
      app.use((_request, response) => void response.status(405).end())
      server = app.listen(0, '127.0.0.1')
      await once(server, 'listening')
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    after(() => {
      server.closeAllConnections()
      server.close()
    })

    it('holds in all that needs no sessions', () => hold(url, failingWithFixtures))
  })
})
