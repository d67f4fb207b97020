import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { httpCall, type Player, reportFigure, type System, startTestDevnets, until } from '@carapace/testing'
import { startEngine } from '../engine.ts'
import { temporaryDataDir } from '../testing/child.ts'
import { bareChainSeconds } from './bare-gigs.ts'
import { type BenchStart, benchStart } from './bench-start.ts'
import { copiedKey } from './copies.ts'
import { type TimedGigs, timeGigs } from './gigs.ts'
import { compareCosts, cpuOf, type Load, runLoad } from './load.ts'
import { populate, readAll, sharedKeys } from './population.ts'

// Part of npm run bench: `npm start` with 1,000 agents and 2,000 gigs, against plain node and the driver on the same database. The load comes from this process.
const [agentCount, gigCount] = [1_000, 2_000]
const [rounds, startRounds] = [3, 3]
const [restMs, idleSeconds] = [15_000, 30]
/** `-- --reads 0`: without those of which only memory is measured. */
const allReads = Number(parseArgs({ options: { reads: { type: 'string', default: '100000' } } }).values.reads)
const draft = { title: 'Audit a vault', description: 'Read it, report.', skillsRequired: ['solidity'], budget: 40 }

/** Headers that node writes by itself. */
const ofConnection = new Set(['connection', 'date', 'keep-alive'])

const folder = await temporaryDataDir()
const running = new Set<BenchStart>()
try {
  const first = await begin()
  const timed = await timeGigs(first)
  const { players } = timed
  const gigs = await postGigs(first.system, players)
  for (const { id } of players) await until('it is on chain', async () => (await first.system.get(`/api/agents/${id}`)).erc8004Registered === true)
  const shared = await sharedKeys(first.system)
  await pause(restMs)
  await timeRest(first)
  await end(first)

  // copy 0 would repeat the unique numbers of its original, which is here too
  const copies = Math.ceil(agentCount / players.length)
  const engine = await startEngine(folder.path, console.error)
  const place = { uri: engine.uri, prefix: '' }
  await populate(place, await readAll(place), { shared, names: players.map(({ handle }) => handle) }, { first: 1, copies })
  await engine.close()

  const start = await begin()
  const ids = (from: readonly string[], count: number) =>
    Array.from({ length: count }, (_, n) => copiedKey(from[n % from.length]!, 1 + (Math.floor(n / from.length) % copies)))
  const agents = Array.from({ length: agentCount }, (_, n) => copyOf(players[n % players.length]!, 1 + Math.floor(n / players.length)))
  await timeAll(start, engine.uri, agents, ids(gigs, gigCount), timed)
  await end(start)
  await timeStarts(start.seconds)
} finally {
  for (const one of running) await one.end()
  await folder.remove()
}

async function begin(): Promise<BenchStart> {
  const started = await benchStart(folder.path)
  running.add(started)
  return started
}

async function end(started: BenchStart): Promise<void> {
  running.delete(started)
  await started.end()
}

/** Both networks and the database alone, and `npm start` on data of a thousand agents, in alternation. */
async function timeStarts(first: number): Promise<void> {
  // the contracts are deployed once for all starts
  await (await startTestDevnets(1_000)).close()
  const more: number[] = []
  for (let round = 0; round < startRounds; round++) {
    const began = performance.now()
    const alone = await temporaryDataDir()
    const [engine, devnets] = await Promise.all([startEngine(alone.path, console.error), startTestDevnets(1_000)])
    const seconds = (performance.now() - began) / 1_000
    await Promise.all([engine.close(), devnets.close()])
    await alone.remove()
    const again = round === 0 ? undefined : await begin()
    more.push((again?.seconds ?? first) - seconds)
    if (again) await end(again)
  }
  reportFigure('start', more)
}

function copyOf({ id, wallet }: Player, number: number): Record<string, string> {
  return { 'x-agent-id': copiedKey(id, number), 'x-wallet-address': copiedKey(wallet.address, number) }
}

/** Two of each. */
async function postGigs(system: System, players: readonly Player[]): Promise<string[]> {
  const posted = await Promise.all([...players, ...players].map(({ headers }) => system.post('/api/gigs', draft, headers)))
  return posted.map(({ id }) => id)
}

async function timeRest({ pids, memory }: BenchStart): Promise<void> {
  const before = await cpuOf(pids)
  await pause(idleSeconds * 1_000)
  reportFigure('idle.cpu', [(((await cpuOf(pids)) - before) / idleSeconds) * 100])
  reportFigure('memory.idle', [await memory()])
}

async function timeAll(
  start: BenchStart,
  uri: string,
  agents: readonly Record<string, string>[],
  gigIds: readonly string[],
  timed: TimedGigs,
): Promise<void> {
  const child = fork(fileURLToPath(new URL('./raw-server.js', import.meta.url)), [uri], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [{ url: rawUrl }] = (await once(child, 'message')) as [{ url: string }]
  const rawPids = async () => [child.pid!, ...(await start.enginePids())]
  let reads = 0
  const own = (load: Omit<Load, 'url'>, requests: number) => {
    reads += requests
    return runLoad({ ...load, url: start.system.url }, requests, start.pids)
  }
  const raw = (load: Omit<Load, 'url'>, requests: number) => runLoad({ ...load, url: rawUrl }, requests, rawPids)
  const fresh = () => ({ 'cache-control': 'no-cache' })
  const compare = async (line: string, requests: number, mine: Omit<Load, 'url'>, theirs: Omit<Load, 'url'>) =>
    reportFigure(
      line,
      await compareCosts(
        rounds,
        () => own({ headers: fresh, ...mine }, requests),
        () => raw(theirs, requests),
      ),
    )

  const agentAt = (n: number) => agents[n % agents.length]!['x-agent-id']!
  const gigAt = (n: number) => gigIds[n % gigIds.length]!
  const agent: Omit<Load, 'url'> = { path: n => `/api/agents/${agentAt(n)}`, check: (body, n) => same(idIn(body, 'agent'), agentAt(n)) }
  const gig: Omit<Load, 'url'> = { path: n => `/api/gigs/${gigAt(n)}`, check: (body, n) => same(idIn(body, 'gig'), gigAt(n)) }
  const rawOne = (place: string, idAt: (n: number) => string): Omit<Load, 'url'> => ({
    path: n => `/one/${place}/${idAt(n)}`,
    check: (body, n) => same((body as { _id: string })._id, idAt(n)),
  })
  const list = (path: string, size: number): Omit<Load, 'url'> => ({ path: () => path, check: body => same(itemsOf(body).length, size) })

  await compare('reads.agent', 1_000, agent, rawOne('identity/agents', agentAt))
  await compare('reads.gig', 1_000, gig, rawOne('marketplace/gigs', gigAt))
  await compare('reads.list20', 300, list('/api/agents?limit=20', 20), list('/newest/20', 20))
  await compare('reads.list100', 150, list('/api/agents?limit=100', 100), list('/newest/100', 100))
  await compare('reads.discover', 300, list('/api/agents/discover?skills=solidity&limit=20', 20), list('/newest/20', 20))
  await compare('reads.search', 300, list('/api/agents/search?q=solidity&limit=20', 20), list('/newest/20', 20))
  const { leaderboard } = await start.system.get('/api/agents/leaderboard')
  await compare(
    'reads.leaderboard',
    300,
    list('/api/agents/leaderboard', leaderboard.length),
    list(`/best/${leaderboard.length}`, leaderboard.length),
  )

  const share = async (line: string, requests: number, path: string, check: Load['check']) => {
    const { headers, body } = await httpCall(start.system.url, 'GET', path, { headers: { 'accept-encoding': 'identity' } })
    await httpCall(rawUrl, 'POST', '/same', {
      body: { headers: [...headers].filter(([name]) => !ofConnection.has(name)).flat(), body: JSON.stringify(body) },
    })
    const ratios = await compareCosts(
      rounds,
      () => raw({ path: () => '/same', check }, requests),
      () => own({ path: () => path, check }, requests),
    )
    reportFigure(line, ratios)
  }
  await share('gateway.cached', 2_000, `/api/agents/${agentAt(0)}`, answer => same(idIn(answer, 'agent'), agentAt(0)))
  await share('gateway.healthz', 2_000, '/healthz', answer => same((answer as { status: unknown }).status, 'ok'))

  await own({ ...agent, headers: fresh }, Math.max(0, allReads - reads))
  reportFigure('memory.reads', [await start.memory()])

  const write = (kind: string): Omit<Load, 'url'> => ({
    method: 'POST',
    path: () => `/${kind}`,
    body: () => ({}),
    check: answer => same(typeof (answer as { n: unknown }).n, 'number'),
  })
  const beat: Omit<Load, 'url'> = {
    method: 'POST',
    path: n => `/api/agents/${agentAt(n)}/heartbeat`,
    headers: n => agents[n % agents.length]!,
    body: () => ({}),
    check: answer => same((answer as { success: unknown }).success, true),
  }
  // the first of a day costs more
  await own(beat, agents.length)
  await compare('writes.heartbeat', 1_000, beat, write('heartbeat'))
  const post: Omit<Load, 'url'> = {
    ...beat,
    path: () => '/api/gigs',
    body: () => draft,
    check: answer => same((answer as typeof draft).title, draft.title),
  }
  await compare('writes.gig', 500, post, write('gig'))
  await raw(write('whole-gig'), 50)
  const writes = await raw(write('whole-gig'), 200)
  const bare = (await bareChainSeconds(timed.recorded)) / timed.gigs + writes.cpuSeconds / 200
  reportFigure('gig.bare', [bare / timed.seconds])
  child.disconnect()
}

function idIn(body: unknown, name: string): unknown {
  const record = body as Record<string, { id?: unknown }>
  return (record[name] ?? record).id
}

function itemsOf(body: unknown): unknown[] {
  return (Array.isArray(body) ? body : Object.values(body as object).find(Array.isArray)) ?? []
}

function same(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`an answer is not the right one: ${String(found)} instead of ${String(wanted)}`)
}
