import type { Found, Refusal } from '@carapace/api'
import { atTickEnd, type Logger, type Metrics, requestLine, type Trace } from '@carapace/service'
import type { Identity } from '../identity/identify.ts'
import { protocolOf } from '../protocols.ts'

/** The status of a request whose client went away before there was an answer; the number is nginx's. */
export const unanswered = 499

/** A request that is over. */
export interface Ended {
  requestId: string
  trace: Trace
  method: string
  status: number
  ms: number
  route: Found | undefined
  identity: Identity | undefined
  failure: Refusal | undefined
}

/** Counts requests and writes the one log line of each, at the end of the event loop tick in which it is answered. */
export function recorder(log: Logger, metrics: Metrics): (ended: Ended) => void {
  /** By method and route, which are text in them already. */
  const logs = new Map<string, Logger>()
  const logOf = (method: string, route: string): Logger => {
    const name = `${method} ${route}`
    const made = logs.get(name) ?? log.child({ method, route })
    logs.set(name, made)
    return made
  }
  return atTickEnd(({ requestId, trace, method, status, ms, route, identity, failure }) => {
    const label = route?.path ?? 'none'
    // the gateway's own endpoints are counted where they are handled
    if (route?.service !== 'gateway' || protocolOf(route) || failure) metrics.answered(label, route ? method : 'any', status, ms / 1000)
    const line = requestLine({ traceId: trace.traceId, requestId, agentId: identity?.agent?.agentId, status, ms, failure })
    logOf(method, label).info({ ...line, admin: identity?.admin?.wallet }, 'request')
  })
}
