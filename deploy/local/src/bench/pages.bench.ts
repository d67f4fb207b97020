import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { startGateway } from '@carapace/gateway'
import { acquireMongo, knownNetworks, quantile, startPlatform } from '@carapace/testing'
import { openBrowser } from '../site/chromium.ts'
import { readServices } from '../testing/reads.ts'
import { recordedPopulation } from './lists.ts'
import { copiedKey, populate } from './population.ts'

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
const mongo = await acquireMongo()
await populate(mongo, records, population, copies)
const platform = await startPlatform(readServices, {
  mongo,
  env: { CHECK_ANSWERS: 'no', PORT: '0', RATE_LIMIT_READ: '100000000' },
  startGateway: options => startGateway({ ...options, networks: knownNetworks({}) }),
})
const connections = new Agent({ keepAlive: true, maxSockets: 1 })
const [, paidGig, , , , , receipt] = ids as [string, string, string, string, string, string, string]
const at = (key: string, n: number) => copiedKey(key, n % copies)
/** Each page and the call that answers with its record, or its list; `n` is the number of the copy that is read. */
const pages: readonly (readonly [name: string, page: (n: number) => string, call: (n: number) => string])[] = [
  ['/', () => '/', () => '/api/trust-receipts?limit=8'],
  ['/agents', () => '/agents', () => '/api/agents/discover?limit=20'],
  ['/agents/:handle', n => `/agents/${players[0]!.handle}-${n % copies}`, n => `/api/agents/${at(players[0]!.id, n)}`],
  ['/gigs', () => '/gigs', () => '/api/gigs?limit=20'],
  ['/gigs/:id', n => `/gigs/${at(paidGig, n)}`, n => `/api/gigs/${at(paidGig, n)}`],
  ['/jobs', () => '/jobs', () => '/api/erc8183/jobs?limit=20'],
  ['/domains', () => '/domains', () => '/api/domains/browse?limit=20'],
  ['/receipts/:id', n => `/receipts/${at(receipt, n)}`, n => `/api/trust-receipts/${at(receipt, n)}`],
]

try {
  console.log(`${'ms of CPU, p50 and p99'.padEnd(18)}     page           call        ratio of p99 (at most ${mostRatio})`)
  for (const [name, page, call] of pages) {
    const times: [number[], number[]] = [[], []]
    for (let n = 0; n < warmUp + measured; n++)
      for (const [side, path] of [page(n), call(n)].entries()) {
        const ms = await costOf(path)
        if (n >= warmUp) times[side]!.push(ms)
      }
    const [ofPage, ofCall] = times.map(list => [quantile(list, 0.5), quantile(list, shownQuantile)] as const)
    const ratio = ofPage![1] / ofCall![1]
    if (ratio > mostRatio) process.exitCode = 1
    const columns = [...ofPage!, ...ofCall!].map(ms => ms.toFixed(2).padStart(7)).join(' ')
    console.log(`${ratio > mostRatio ? 'FAIL' : 'ok  '} ${name.padEnd(16)} ${columns} ${ratio.toFixed(2).padStart(8)}`)
  }
  await paint()
} finally {
  connections.destroy()
  await platform.close()
  await mongo.close()
}
process.exit()

/** Milliseconds of CPU of all that run here, the database too: other programs on the machine do not count. Past the micro-cache: it is the work that is measured. */
async function costOf(path: string): Promise<number> {
  const before = process.cpuUsage()
  const sent = request(platform.url + path, { agent: connections, headers: { 'cache-control': 'no-cache' } }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`GET ${path}: ${response.statusCode}`)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

async function paint(): Promise<void> {
  const browser = await openBrowser()
  try {
    console.log(`first contentful paint in ms, median (at most ${mostPaintMs})`)
    for (const [name, pageOf] of pages) {
      const context = await browser.newContext()
      const page = await context.newPage()
      const times: number[] = []
      for (let n = 0; n < paints; n++) {
        await page.goto(platform.url + pageOf(n), { waitUntil: 'load' })
        times.push(await page.evaluate<number>(firstPaint))
      }
      await context.close()
      const median = quantile(times, 0.5)
      if (median > mostPaintMs) process.exitCode = 1
      console.log(`${median > mostPaintMs ? 'FAIL' : 'ok  '} ${name.padEnd(16)} ${median.toFixed(0).padStart(5)}`)
    }
  } finally {
    await browser.close()
  }
}
