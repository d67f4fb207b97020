import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyEndpoint } from '@carapace/api'
import type { Answer, System } from '@carapace/testing'
import { declaredReads } from '../testing/reads.ts'

/** A request that is sent again and again, and how it is answered at rest. */
export interface Planned {
  path: string
  status: number
  send(): Promise<Answer>
}
export interface Failure {
  path: string
  /** Of the answer, or why there was none. */
  answer: string
}
export interface Sent {
  requests: number
  failures: Failure[]
  /** Longest wait for an answer, ms. */
  slowestMs: number
}

export interface Sender {
  /** How many have been sent. */
  sent(): number
  /** Ends after the answers that are still awaited. */
  stop(): Promise<Sent>
}

const tickMs = 20
const pathValues: Readonly<Record<string, string>> = { chain: 'BASE_SEPOLIA', skill: 'solidity', tokenId: '1', hash: `0x${'0'.repeat(64)}` }

const pathOf = ({ path }: AnyEndpoint, agentId: string): string => path.replace(/:([A-Za-z]+)/g, (_, name: string) => pathValues[name] ?? agentId)

/** The gateway answers these from the service each time, and from nothing that it has stored. */
const headers = { 'cache-control': 'no-cache' }

/** Each public GET of each service. */
export async function publicReads(system: System, agentId: string): Promise<Planned[]> {
  const paths = declaredReads.filter(({ caller, planned }) => caller === 'public' && !planned).map(endpoint => pathOf(endpoint, agentId))
  return atRest([...new Set(paths)].map(path => ({ path, send: () => system.call('GET', path, { headers }) })))
}

/** Requests with their answers now. @throws Error when one is an accident */
export async function atRest(requests: readonly Omit<Planned, 'status'>[]): Promise<Planned[]> {
  const planned: Planned[] = []
  for (const { path, send } of requests) {
    const { status } = await send()
    if (status >= 500) throw new Error(`${path} is answered with ${status} at rest`)
    planned.push({ path, status, send })
  }
  return planned
}

/** Sends requests one after the other and again, so many per second however slow the answers are. One fails when it is not answered as it was at rest. */
export function sendAll(planned: readonly Planned[], perSecond: number): Sender {
  const result: Sent = { requests: 0, failures: [], slowestMs: 0 }
  const awaited = new Set<Promise<void>>()
  let stopped = false
  const sendOne = async ({ path, status, send }: Planned) => {
    const start = performance.now()
    const { answer, detail } = await send().then(
      ({ status, body }) => ({ answer: String(status), detail: ` ${body?.code ?? ''} ${body?.message ?? ''}` }),
      (error: Error) => ({ answer: String(error.cause ?? error), detail: '' }),
    )
    result.slowestMs = Math.max(result.slowestMs, performance.now() - start)
    if (answer !== String(status)) result.failures.push({ path, answer: `${answer} instead of ${status}${detail}` })
  }
  const sending = (async () => {
    for (const start = performance.now(); !stopped; ) {
      const due = Math.floor(((performance.now() - start) / 1_000) * perSecond)
      for (; result.requests < due; result.requests++) {
        const one = sendOne(planned[result.requests % planned.length]!)
        awaited.add(one)
        void one.finally(() => awaited.delete(one))
      }
      await sleep(tickMs)
    }
  })()
  return {
    sent: () => result.requests,
    stop: async () => {
      stopped = true
      await sending
      await Promise.all(awaited)
      return result
    },
  }
}
