import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ServiceName } from '@carapace/api'
import { replicated, startDistributedSystem } from '../testing/distributed.ts'
import { readServices } from '../testing/reads.ts'
import { publicReads, sendAll } from './reads.ts'
import { type Restarted, restart } from './restart.ts'

// npm run torture:restart [-- --replicas=1|2]
const { values } = parseArgs({ options: { replicas: { type: 'string' } } })
const pauseMs = 1_000
/** On a machine that does nothing else; a busier one only reports. */
const [wantedStartSeconds, quietLoad] = [1.5, 2]

/** The gateway sends a read again for so long. */
const patienceSeconds = 3
const twice = readServices.map(({ api }) => api.name as ServiceName)

const runs = [
  { count: '1', title: 'one replica of each service, each ended in order', how: ['SIGTERM'], options: {} },
  {
    count: '2',
    title: 'two replicas of each service but the relayer, each killed and later ended in order',
    how: ['SIGKILL', 'SIGTERM'],
    options: replicated(twice),
  },
] as const

for (const { count, title, how, options } of runs) {
  if ((values.replicas ?? count) !== count) continue
  const restarted = (name: string) => ('replicas' in options ? twice.some(one => one === name) : name !== 'gateway')
  const isQuiet = loadavg()[0]! < quietLoad
  console.log(`50 reads per second while services are restarted: ${title} (load ${loadavg()[0]!.toFixed(1)})`)
  const running = await startDistributedSystem(options)
  try {
    const { id } = await running.system.newPlayer()
    const sender = sendAll(await publicReads(running.system, id), 50)
    const starts: Restarted[] = []
    for (const signal of how)
      for (const service of running.platform.processes.filter(({ name }) => restarted(name))) {
        await sleep(pauseMs)
        const start = await restart(service, signal)
        starts.push(start)
        console.log(`  ${signal} ${service.name.padEnd(13)} ${show(start)}`)
      }
    await sleep(pauseMs)
    const { requests, failures, slowestMs } = await sender.stop()
    console.log(`${failures.length} of ${requests} reads failed; the slowest lasted ${(slowestMs / 1000).toFixed(2)} s`)
    for (const { path, answer } of failures.slice(0, 20)) console.log(`  ${path}: ${answer}`)
    const slow = starts.filter(({ startSeconds }) => startSeconds > wantedStartSeconds).length
    console.log(
      `${slow} of ${starts.length} starts lasted more than ${wantedStartSeconds} s${isQuiet ? '' : ', which says nothing on a busy machine'}`,
    )
    // without a second replica nobody can answer longer than the gateway waits: on a quiet machine that is too long, on a busy one no finding
    const wereServed = 'replicas' in options || starts.every(({ awaySeconds }) => awaySeconds <= patienceSeconds)
    if ((failures.length > 0 && (isQuiet || wereServed)) || (isQuiet && slow > 0)) process.exitCode = 1
  } finally {
    await running.end()
  }
}
process.exit()

function show({ endedSeconds, awaySeconds, startSeconds, startCpuSeconds }: Restarted): string {
  const [ended, away, start, cpu] = [endedSeconds, awaySeconds, startSeconds, startCpuSeconds].map(seconds => `${seconds.toFixed(2)} s`)
  return `ended after ${ended}, refused connections for ${away}; ready ${start} after its start, with ${cpu} of CPU`
}
