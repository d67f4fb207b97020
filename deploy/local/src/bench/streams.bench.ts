import { get, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { openSystem, type Player, residentMb, type System, until } from '@carapace/testing'
import { startChild, temporaryDataDir } from '../testing/child.ts'

// npm run bench:streams: memory of `npm start` with 5,000 live streams, a fifth of whose readers read nothing. Ends with 1 when it grows with the events.
const streams = 5_000
const stalled = 1_000
const openedTogether = 50
const rounds = 5
const gigsOfRound = 100
/** What the garbage of a round may differ by. */
const mostGrowthMb = 80
const settleMs = 3_000

const folder = await temporaryDataDir()
const child = await startChild(folder.path, { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_READ: '1000000', RATE_LIMIT_WRITE: '1000000' })
const system = await openSystem(child.url)
try {
  const poster = await system.newPlayer({ usdc: 10, prefix: 'poster' })
  const before = residentMb(child.pid)
  const received: number[] = []
  for (let from = 0; from < streams; from += openedTogether)
    await Promise.all(Array.from({ length: openedTogether }, (_, at) => open(child.url, from + at, received)))
  await pause(settleMs)
  const opened = residentMb(child.pid)
  console.log(`${before} MB without streams, ${opened} MB with ${streams}: ${(((opened - before) * 1024) / streams).toFixed(0)} kB for each`)
  const sizes: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const startedAt = performance.now()
    for (let n = 0; n < gigsOfRound; n++) await post(system, poster)
    await until('every reader has every gig', () => received.every((count, at) => at < stalled || count === round * gigsOfRound), 300)
    const seconds = (performance.now() - startedAt) / 1_000
    await pause(settleMs)
    sizes.push(residentMb(child.pid))
    const frames = (streams - stalled) * gigsOfRound
    console.log(`${round * gigsOfRound} gigs posted: ${sizes.at(-1)} MB, ${frames.toLocaleString('en')} events sent in ${seconds.toFixed(1)} s`)
  }
  const growth = sizes.at(-1)! - sizes[0]!
  const isFlat = growth <= mostGrowthMb
  console.log(`${isFlat ? 'ok  ' : 'FAIL'} from the first round to the last it grew by ${growth} MB (at most ${mostGrowthMb})`)
  if (!isFlat) process.exitCode = 1
} finally {
  system.close()
  await child.stop()
  await folder.remove()
}
process.exit()

/** A stream from an address of its own; one that is stalled reads no more than its head. */
async function open(url: string, at: number, received: number[]): Promise<void> {
  const headers = { 'x-forwarded-for': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/api/events?type=marketplace.gig.posted`, { headers, agent: false }, resolve).once('error', reject)
  })
  if (answer.statusCode !== 200) throw new Error(`stream ${at}: ${answer.statusCode}`)
  received[at] = 0
  answer.on('error', () => undefined)
  if (at < stalled) answer.pause()
  else answer.setEncoding('utf8').on('data', (text: string) => (received[at]! += text.split('event: marketplace.gig.posted').length - 1))
}

async function post(system: System, poster: Player): Promise<void> {
  const draft = { title: 'Audit a vault', description: 'Read it, report.', skillsRequired: ['solidity'], budget: 40, chain: 'BASE_SEPOLIA' }
  await system.post('/api/gigs', { ...draft, deadlineHours: 48 }, poster.headers)
}
