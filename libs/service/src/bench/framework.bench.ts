import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import { endpoint, serviceApi } from '@carapace/api'
import autocannon from 'autocannon'
import { z } from 'zod'
import { contextHeader, signContext } from '../context.ts'
import type { Platform } from '../define.ts'
import { mount } from '../http/mount.ts'
import { fastExpress, listen } from '../http/server.ts'
import type { Idempotency } from '../idempotency.ts'
import { makeLog } from '../log.ts'
import { makeMetrics } from '../metrics.ts'

/**
 * Requests per second of server CPU, which a busy machine distorts less than wall-clock throughput; both are printed.
 * The framework without a database against plain node:http, both answering the same record, each in a process of its own, in alternating rounds.
 * The framework's share holds: context signature, validation of params and query, ETag, metrics, one log line.
 */
const record = {
  id: '0190a5d0-0000-7000-8000-000000000001',
  title: 'Audit a vault',
  status: 'open',
  budget: 40,
  skillsRequired: ['solidity'],
  version: 3,
}
const internalKey = 'k'.repeat(32)
const rounds = 5
const seconds = 3

const getThing = endpoint({
  method: 'get',
  path: '/api/things/:id',
  caller: 'agent',
  summary: 'For the bench',
  query: { view: z.enum(['full', 'basic']).default('full') },
  response: z.looseObject({ id: z.string() }),
})
const api = serviceApi('social', { endpoints: { getThing } })

async function serveFramework(): Promise<string> {
  const { app, server } = fastExpress()
  const log = makeLog({ service: 'bench', level: 'info', file: '/dev/null' })
  const platform = { log, metrics: makeMetrics('bench'), newId: () => 'x' } as unknown as Platform
  const none: Idempotency = { claim: async () => undefined, keep: async () => undefined, release: async () => undefined }
  app.use(mount(api, { getThing: () => record }, { platform, idempotency: none, internalKey, checkAnswers: false }))
  return listen(server, 0, '127.0.0.1')
}

function servePlain(): Promise<string> {
  const server = createServer((_request, response) => {
    const body = JSON.stringify(record)
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) }).end(body)
  })
  return listen(server, 0, '127.0.0.1')
}

async function measure({ url, cpu }: Child): Promise<{ perSecond: number; perCpuSecond: number }> {
  const before = await cpu()
  const context = signContext(
    { requestId: 'r', mode: 'plain', agent: { kind: 'agent', agentId: 'a', wallet: '0x0' }, expires: Date.now() + 600_000 },
    internalKey,
  )
  const result = await autocannon({
    url: `${url}/api/things/${record.id}?view=full`,
    connections: 32,
    duration: seconds,
    headers: { [contextHeader]: context },
  })
  if (result.non2xx || result.errors) throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} failed`)
  return { perSecond: result.requests.average, perCpuSecond: result.requests.total / (((await cpu()) - before) / 1e6) }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!

interface Child {
  url: string
  /** Microseconds of CPU that the server has used. */
  cpu(): Promise<number>
  stop(): void
}

async function child(kind: string): Promise<Child> {
  const started = fork(new URL(import.meta.url), [kind])
  const next = () => new Promise<unknown>(resolve => started.once('message', resolve))
  const url = String(await next())
  const cpu = () => {
    started.send('cpu')
    return next().then(Number)
  }
  return { url, cpu, stop: () => started.kill() }
}

async function main(): Promise<void> {
  const [plain, framework] = await Promise.all([child('plain'), child('framework')])
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const base = await measure(plain)
    const ours = await measure(framework)
    ratios.push(ours.perCpuSecond / base.perCpuSecond)
    const wall = (ours.perSecond / base.perSecond).toFixed(2)
    console.log(
      `round ${round}: per CPU second plain node ${Math.round(base.perCpuSecond)}, framework ${Math.round(ours.perCpuSecond)}, ratio ${ratios.at(-1)?.toFixed(2)} (wall clock ${wall})`,
    )
  }
  console.log(`service framework / plain node: median ${median(ratios).toFixed(2)} (wanted: at least 0.50)`)
  plain.stop()
  framework.stop()
}

if (process.send) {
  process.on('message', () => process.send?.(process.cpuUsage().user + process.cpuUsage().system))
  process.send(await (process.argv[2] === 'plain' ? servePlain() : serveFramework()))
} else await main()
