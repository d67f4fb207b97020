import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, until } from '@carapace/testing'
import type { Supervised } from '../distributed/supervise.ts'
import { isListening } from '../testing/listening.ts'
import { signal } from '../torture/process-tree.ts'

export interface Restarted {
  /** From the signal until its process had ended. */
  endedSeconds: number
  /** Nothing listened at its address for so long. */
  awaySeconds: number
  /** From the start of the new process until it was ready. */
  startSeconds: number
  /** CPU time of the new process by then. */
  startCpuSeconds: number
}

const stepMs = 10

/** Ends a supervised process and waits until its successor is ready. */
export async function restart(service: Supervised, how: 'SIGTERM' | 'SIGKILL'): Promise<Restarted> {
  const old = service.pid()!
  const at = performance.now()
  const seconds = (since: number) => (performance.now() - since) / 1_000
  const absence = watchAbsence(service.url)
  signal(old, how)
  await until(`${service.name} has ended`, () => !signal(old, 0), 30)
  const endedSeconds = seconds(at)
  await until(`${service.name} is started again`, () => service.pid() !== old, 30)
  const startedAt = performance.now()
  await service.ready()
  return { endedSeconds, startSeconds: seconds(startedAt), startCpuSeconds: cpuSeconds(service.pid()!), awaySeconds: await absence.end() }
}

/** Adds up how long connections to an address are refused. */
function watchAbsence(url: string): { end(): Promise<number> } {
  const { hostname, port } = new URL(url)
  let over = false
  let awayMs = 0
  const watching = (async () => {
    for (let last = performance.now(); !over; ) {
      const listens = await isListening(hostname, Number(port))
      const now = performance.now()
      if (!listens) awayMs += now - last
      last = now
      await sleep(stepMs)
    }
  })()
  return {
    end: async () => {
      over = true
      await watching
      return awayMs / 1_000
    },
  }
}
