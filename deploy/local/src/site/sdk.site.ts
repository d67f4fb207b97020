import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { Wallet } from 'ethers'
import type { Browser } from 'playwright-core'
import { platformAroundTests } from '../testing/around-tests.ts'
import { openBrowser } from './chromium.ts'

/** What the page of somebody else does with the SDK; its wallet signs outside. */
const program = `(async ({ baseUrl, address, handle }) => {
  const { connect, isRefusal } = await import('/client.js')
  const client = connect({ baseUrl, signer: { address, signMessage: message => window.signed(Array.from(message)) } })
  const { agent } = await client.identity.registerAgent({ body: { handle, walletAddress: address } })
  const events = client.stream.events({ agent: agent.id })[Symbol.asyncIterator]()
  let event
  events.next().then(({ value }) => { event = value })
  let gig
  // what happens before the stream is open is not in it
  while (!event) {
    gig = await client.marketplace.createGig({ body: { title: 'From a page', description: 'Read it.', budget: 5 } })
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  await events.return()
  const unknown = await client.identity.getAgent({ params: { id: 'nobody-has-this' } }).catch(error => isRefusal(error, 'NOT_FOUND'))
  return { isOwn: gig.posterId === agent.id, type: event.type, unknown }
})`

describe('the SDK in a browser', function () {
  this.timeout(300_000)
  const platform = platformAroundTests({ env: { AUTH_MODE: 'signed', RATE_LIMIT_READ: '100000', RATE_LIMIT_WRITE: '100000' } })
  let browser: Browser
  let site: Server
  before(async () => {
    const bundle = { contents: "export * from '@carapace/client'", resolveDir: import.meta.dirname }
    const { outputFiles } = await build({ stdin: bundle, bundle: true, platform: 'browser', format: 'esm', write: false, logLevel: 'silent' })
    site = createServer((request, response) => {
      if (request.url === '/client.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(outputFiles[0]!.contents)
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page of somebody else</title>')
    }).listen(0, '127.0.0.1')
    await once(site, 'listening')
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    site.closeAllConnections()
    site.close()
  })

  it('registers, posts and follows what happens, from a page of another origin, signed by a wallet', async () => {
    const wallet = Wallet.createRandom()
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('pageerror', error => faults.push(error.message))
    await page.exposeFunction('signed', (message: number[]) => wallet.signMessage(Uint8Array.from(message)))
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)

    const given = { baseUrl: platform.url, address: wallet.address, handle: `page-${wallet.address.slice(2, 10).toLowerCase()}` }
    const done = await page.evaluate<{ isOwn: boolean; type: string; unknown: boolean }>(`${program}(${JSON.stringify(given)})`)

    assert.deepEqual([done.isOwn, done.unknown, faults], [true, true, []])
    assert.match(done.type, /^[a-z]+\.[a-z]+\.[a-z-]+$/)
  })
})
