import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { quantile } from '@carapace/testing'
import { openBrowser } from '../site/chromium.ts'
import { copiedKey } from './copies.ts'
import { recordedPopulation } from './play-population.ts'
import { populate } from './population.ts'
import { calm, ownEngine, secondsOf, startSide } from './side.ts'

// npm run bench:pages: what a page costs next to the call that answers with its record, among 10,000 agents, and when a browser shows something of it.
const agents = 10_000
const warmUp = 40
const measured = 400
const mostRatio = 3
const paints = 20
const mostPaintMs = 100
const shownQuantile = 0.99
/** Runs in the page: the paint may come after its load. */
const firstPaint = `new Promise(resolve => new PerformanceObserver(list => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
}).observe({ type: 'paint', buffered: true }))`

const { population, records } = await recordedPopulation()
const { players, ids } = population
const copies = Math.round(agents / players.length)
const prefix = 'pages_'
const engine = await ownEngine()
await populate({ uri: engine.uri, prefix }, records, population, { copies })
const platform = await startSide(engine, prefix)
const connections = new Agent({ keepAlive: true, maxSockets: 1 })
const [, paidGig, , , , , receipt, job] = ids as [string, string, string, string, string, string, string, string]
const at = (key: string, n: number) => copiedKey(key, n % copies)
/** Each page and the call that answers with its record, or its list; `n` is the number of the copy that is read. */
const pages: readonly (readonly [name: string, page: (n: number) => string, call: (n: number) => string])[] = [
  ['/', () => '/', () => '/api/trust-receipts?limit=8'],
  ['/agents', () => '/agents', () => '/api/agents/discover?limit=20'],
  ['/agents/:handle', n => `/agents/${players[0]!.handle}-${n % copies}`, n => `/api/agents/${at(players[0]!.id, n)}`],
  ['/gigs', () => '/gigs', () => '/api/gigs?limit=20'],
  ['/gigs/:id', n => `/gigs/${at(paidGig, n)}`, n => `/api/gigs/${at(paidGig, n)}`],
  ['/jobs', () => '/jobs', () => '/api/erc8183/jobs?limit=20'],
  ['/jobs/:id', n => `/jobs/${at(job, n)}`, n => `/api/erc8183/jobs/${at(job, n)}`],
  ['/domains', () => '/domains', () => '/api/domains/browse?limit=20'],
  ['/receipts/:id', n => `/receipts/${at(receipt, n)}`, n => `/api/trust-receipts/${at(receipt, n)}`],
]
/** Without a record of their own. */
const still = ['/start', '/docs'].map(path => [path, () => path] as const)

try {
  await calm(platform)
  console.log(`p50 and p99 of page and call in ms${' '.repeat(28)}ratio of p99 (at most ${mostRatio})`)
  for (const [name, page, call] of pages) {
    const costs: [Cost[], Cost[]] = [[], []]
    for (let n = 0; n < warmUp + measured; n++)
      for (const [side, path] of [page(n), call(n)].entries()) {
        const cost = await costOf(path)
        if (n >= warmUp) costs[side]!.push(cost)
      }
    for (const figure of ['wallMs', 'cpuMs'] as const) {
      const [ofPage, ofCall] = costs.map(list => {
        const values = list.map(cost => cost[figure])
        return [quantile(values, 0.5), quantile(values, shownQuantile)] as const
      })
      const ratio = ofPage![1] / ofCall![1]
      // a reader waits by the clock; the processor's time is printed to see where it goes
      const isBroken = figure === 'wallMs' && ratio > mostRatio
      if (isBroken) process.exitCode = 1
      const columns = [...ofPage!, ...ofCall!].map(ms => ms.toFixed(2).padStart(7)).join(' ')
      console.log(`${isBroken ? 'FAIL' : 'ok  '} ${name.padEnd(16)} ${figure.padEnd(6)} ${columns} ${ratio.toFixed(2).padStart(8)}`)
    }
  }
  await paint()
} finally {
  connections.destroy()
  await platform.close()
  await engine.close()
}
process.exit()

/** Of one request: how long it lasts, and CPU of the platform and its database, to which other programs on the machine do not count. */
interface Cost {
  wallMs: number
  cpuMs: number
}

/** Past the micro-cache: it is the work that is measured. */
async function costOf(path: string): Promise<Cost> {
  const before = await secondsOf(platform)
  const begun = performance.now()
  const sent = request(platform.url + path, { agent: connections, headers: { 'cache-control': 'no-cache' } }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`GET ${path}: ${response.statusCode}`)
  const wallMs = performance.now() - begun
  return { wallMs, cpuMs: ((await secondsOf(platform)) - before) * 1_000 }
}

async function paint(): Promise<void> {
  const browser = await openBrowser()
  // what the browser itself needs on this machine
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>one</title><p>one')).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const plain = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    console.log(`first contentful paint in ms, median (at most ${mostPaintMs})`)
    console.log(`     ${'one line of text, from plain node'.padEnd(16)} ${(await paintOf(browser, () => plain)).toFixed(0).padStart(5)}`)
    for (const [name, page] of [...pages, ...still]) {
      const median = await paintOf(browser, n => platform.url + page(n))
      if (median > mostPaintMs) process.exitCode = 1
      console.log(`${median > mostPaintMs ? 'FAIL' : 'ok  '} ${name.padEnd(16)} ${median.toFixed(0).padStart(5)}`)
    }
  } finally {
    await browser.close()
    server.close()
  }
}

/** The median, of loads one after the other in one tab. */
async function paintOf(browser: Awaited<ReturnType<typeof openBrowser>>, urlOf: (n: number) => string): Promise<number> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const times: number[] = []
  for (let n = 0; n < paints; n++) {
    await page.goto(urlOf(n), { waitUntil: 'load' })
    times.push(await page.evaluate<number>(firstPaint))
  }
  await context.close()
  return quantile(times, 0.5)
}
