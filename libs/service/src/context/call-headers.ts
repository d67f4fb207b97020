import { currentTrace, traceparentOf } from '../telemetry/trace.ts'
import { contextHeader, type RequestContext, requestIdHeader, signContext } from './context.ts'

/** Headers of a call from one of our processes to another: the signed context, and the trace in hand, which also names the request. */
export function callHeaders(context: RequestContext, internalKey: string): Record<string, string> {
  const headers: Record<string, string> = { [contextHeader]: signContext(context, internalKey) }
  const trace = currentTrace()
  const traceparent = traceparentOf(trace)
  if (trace && traceparent) Object.assign(headers, { traceparent, [requestIdHeader]: trace.traceId })
  return headers
}
