import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import { endpoint, serviceApi } from '@carapace/api'
import { median, reportFigure } from '@carapace/testing'
import autocannon from 'autocannon'
import { z } from 'zod'
import { contextHeader, signContext } from '../context/context.ts'
import type { Platform } from '../define.ts'
import type { Idempotency } from '../http/idempotency.ts'
import { mount } from '../http/route.ts'
import { fastExpress, listen } from '../http/server.ts'
import { makeLog } from '../telemetry/log.ts'
import { makeMetrics } from '../telemetry/metrics.ts'

/**
 * Requests per second of server CPU, which a busy machine distorts less than wall-clock throughput; both are printed.
 * The framework without a database against plain node:http, both answering the same record, each in a process of its own, in alternating rounds.
 * The framework's share holds: trace ids, validation of params and query, ETag, metrics, one log line; and, in a second figure, the signed context of a
 * caller, which every request through the gateway carries.
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
const rounds = 4
const seconds = 2

const getThing = endpoint({
  method: 'get',
  path: '/api/things/:id',
  caller: 'optional',
  summary: 'For the bench',
  query: { view: z.enum(['full', 'basic']).default('full') },
  response: z.looseObject({ id: z.string() }),
})
const api = serviceApi('social', { endpoints: { getThing } })

async function serveFramework(): Promise<string> {
  const { app, server } = fastExpress()
  const log = makeLog({ process: 'bench', level: 'info', file: '/dev/null' })
  const platform = { name: 'social', config: {}, log, metrics: makeMetrics('social'), newId: () => 'x' } as unknown as Platform
  const none: Idempotency = {
    claim: async () => undefined,
    save: async () => undefined,
    release: async () => undefined,
    close: async () => undefined,
  }
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

const signed = {
  [contextHeader]: signContext({ mode: 'plain', agent: { kind: 'agent', agentId: 'a', wallet: '0x0' }, expires: Date.now() + 600_000 }, internalKey),
}

interface Rates {
  perSecond: number
  perCpuSecond: number
}
async function measure({ url, cpu }: Child, headers: Record<string, string> = {}): Promise<Rates> {
  const before = await cpu()
  const result = await autocannon({ url: `${url}/api/things/${record.id}?view=full`, connections: 32, duration: seconds, headers })
  if (result.non2xx || result.errors) throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} failed`)
  return { perSecond: result.requests.average, perCpuSecond: result.requests.total / (((await cpu()) - before) / 1e6) }
}

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
  const bare: Rates[] = []
  const found = { 'without a caller': [] as Rates[], 'with a signed context': [] as Rates[] }
  for (let round = 1; round <= rounds; round++) {
    bare.push(await measure(plain))
    found['without a caller'].push(await measure(framework))
    found['with a signed context'].push(await measure(framework, signed))
  }
  const share = (of: keyof Rates, own: Rates[]) => median(own.map((rates, round) => rates[of] / bare[round]![of])).toFixed(2)
  console.log(`plain node: ${Math.round(median(bare.map(rates => rates.perCpuSecond)))} requests for each CPU second`)
  for (const [what, own] of Object.entries(found))
    console.log(`framework ${what}: ${share('perCpuSecond', own)} of plain node (wall clock ${share('perSecond', own)}; wanted: at least 0.70)`)
  reportFigure(
    'framework',
    found['with a signed context'].map(({ perCpuSecond }, round) => perCpuSecond / bare[round]!.perCpuSecond),
  )
  plain.stop()
  framework.stop()
}

if (process.send) {
  process.on('message', () => process.send?.(process.cpuUsage().user + process.cpuUsage().system))
  process.send(await (process.argv[2] === 'plain' ? servePlain() : serveFramework()))
} else await main()
