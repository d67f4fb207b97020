import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyEndpoint } from '@carapace/api'
import type { System } from '@carapace/testing'
import { declaredReads } from '../testing/reads.ts'

export interface Failure {
  path: string
  /** Of the answer, or why there was none. */
  answer: string
}
export interface Reading {
  reads: number
  failures: Failure[]
  /** Longest wait for an answer, ms. */
  slowestMs: number
}

export interface Reader {
  /** Ends after the answers that are still awaited. */
  stop(): Promise<Reading>
}

const everyMs = 20
const pathValues: Readonly<Record<string, string>> = { chain: 'BASE_SEPOLIA', skill: 'solidity', tokenId: '1', hash: `0x${'0'.repeat(64)}` }

const pathOf = ({ path }: AnyEndpoint, agentId: string): string => path.replace(/:([A-Za-z]+)/g, (_, name: string) => pathValues[name] ?? agentId)

/** Each public GET of each service, and how it is answered at rest. Streams have no end and are left out. */
async function answersAtRest(system: System, agentId: string): Promise<Map<string, number>> {
  const paths = declaredReads
    .filter(({ caller, planned, produces }) => caller === 'public' && !planned && produces !== 'text/event-stream')
    .map(endpoint => pathOf(endpoint, agentId))
  const answers = new Map<string, number>()
  for (const path of new Set(paths)) {
    const { status } = await system.call('GET', path)
    if (status >= 500) throw new Error(`${path} is answered with ${status} at rest`)
    answers.set(path, status)
  }
  return answers
}

/** Sends 50 reads per second over all public GETs, however slow the answers are. A read fails when it is not answered as it was at rest. */
export async function readAll(system: System, agentId: string): Promise<Reader> {
  const atRest = [...(await answersAtRest(system, agentId))]
  const reading: Reading = { reads: 0, failures: [], slowestMs: 0 }
  const awaited = new Set<Promise<void>>()
  let stopped = false
  const read = async ([path, status]: [string, number]) => {
    const start = performance.now()
    const answer = await system.call('GET', path).then(
      one => String(one.status),
      (error: Error) => String(error.cause ?? error),
    )
    reading.slowestMs = Math.max(reading.slowestMs, performance.now() - start)
    if (answer !== String(status)) reading.failures.push({ path, answer: `${answer} instead of ${status}` })
  }
  const sending = (async () => {
    for (const start = performance.now(); !stopped; ) {
      const due = Math.floor((performance.now() - start) / everyMs)
      for (; reading.reads < due; reading.reads++) {
        const one = read(atRest[reading.reads % atRest.length]!)
        awaited.add(one)
        void one.finally(() => awaited.delete(one))
      }
      await sleep(everyMs)
    }
  })()
  return {
    stop: async () => {
      stopped = true
      await sending
      await Promise.all(awaited)
      return reading
    },
  }
}
