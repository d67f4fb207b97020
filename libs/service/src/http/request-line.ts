import type { ErrorCode } from '@carapace/api'

/** A request that is answered, as the gateway and services log it. */
export interface Answered {
  traceId: string
  requestId: string
  agentId: string | undefined
  status: number
  /** Milliseconds. */
  ms: number
  failure: { code: ErrorCode } | undefined
}

/**
 * What every request's log line holds; its writer adds method and route.
 * @example log.info({ method, route, ...requestLine(answered) }, 'request')
 */
export const requestLine = ({ traceId, requestId, agentId, status, ms, failure }: Answered) => ({
  trace: traceId,
  requestId,
  status,
  ms: Math.round(ms * 10) / 10,
  agent: agentId,
  code: failure?.code,
})
