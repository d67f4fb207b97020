import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { median, reportFigure, threadSeconds } from '@carapace/testing'
import autocannon from 'autocannon'
import { startNginx } from './nginx.ts'

/**
 * A proxied GET through the gateway, against a bare undici pipe and nginx in front of the same service; each in a process of its own, in
 * alternating rounds. Ratios of medians are what counts: the figures themselves depend on the machine. Also by CPU time of the proxy, which
 * a busy machine distorts less. Usage: node dist/bench/gateway.bench.js
 */
export interface Party {
  name: string
  url: string
  /** CPU time so far, µs. */
  cpu(): number
  close(): Promise<void>
}

const rounds = 5
/** Of a round; one that ended by time would cut requests, and leave connections of the pipe to the service waiting. */
const requests = 6_000
const targets = { pipe: 0.8, nginx: 0.25 }
/** The proxy is measured, not the micro-cache. */
const uncached = { 'cache-control': 'no-cache' }
/** Of the gateway that records a tenth of its traces to the one that records none. */
const sampledTarget = 0.85

async function start(name: string, ...args: string[]): Promise<Party> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./serve.js', import.meta.url)), [name, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    name,
    url,
    cpu: () => threadSeconds(child.pid!) * 1e6,
    close: async () => {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }
}

async function measure({ url, cpu, name }: Party): Promise<{ perSecond: number; perCpuSecond: number }> {
  const before = cpu()
  const result = await autocannon({ url: `${url}/api/gigs`, headers: uncached, connections: 32, amount: requests })
  if (result.non2xx || result.errors) throw new Error(`${name}: ${result.non2xx} answers were not 2xx, ${result.errors} failed`)
  return { perSecond: requests / result.duration, perCpuSecond: requests / ((cpu() - before) / 1e6) }
}

const service = await start('service')
const nginx = await startNginx(service.url)
const collector = await start('collector')
const sampled = await start('sampled', service.url, 'info', collector.url)
const parties = [await start('gateway', service.url), sampled, await start('pipe', service.url), ...(nginx ? [nginx] : [])]
const results = new Map(parties.map(({ name }) => [name, [] as { perSecond: number; perCpuSecond: number }[]]))
for (const party of parties) await measure(party)
for (let round = 0; round < rounds; round++) for (const party of parties) results.get(party.name)?.push(await measure(party))

const figures = Object.fromEntries(
  [...results].map(([name, list]) => [name, { perSecond: median(list.map(r => r.perSecond)), perCpuSecond: median(list.map(r => r.perCpuSecond)) }]),
)
for (const [name, { perSecond, perCpuSecond }] of Object.entries(figures))
  console.log(`${name.padEnd(8)} ${Math.round(perSecond)}/s, ${Math.round(perCpuSecond)} per CPU second`)
const own = figures.gateway!
for (const [name, least] of Object.entries(targets)) {
  const other = figures[name]
  if (!other) console.log(`${name} is not installed`)
  else
    console.log(
      `gateway / ${name}: ${(own.perSecond / other.perSecond).toFixed(2)} (by CPU ${(own.perCpuSecond / other.perCpuSecond).toFixed(2)}), target ${least}`,
    )
}
const ratio = (of: 'perSecond' | 'perCpuSecond') => (figures.sampled![of] / own[of]).toFixed(2)
console.log(`a tenth of the traces recorded / none: ${ratio('perSecond')} (by CPU ${ratio('perCpuSecond')}), target ${sampledTarget}`)
const pipe = results.get('pipe')!
reportFigure(
  'gateway.proxied',
  results.get('gateway')!.map(({ perCpuSecond }, round) => perCpuSecond / pipe[round]!.perCpuSecond),
)
for (const party of [...parties, service, collector]) await party.close()
