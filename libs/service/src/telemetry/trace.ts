import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

/** W3C Trace Context. Ids always exist, for logs and events; spans are recorded only when an exporter is configured (telemetry.ts). */
export interface Trace {
  traceId: string
  spanId: string
  sampled: boolean
  span?: Span
}

const storage = new AsyncLocalStorage<Trace>()
const pattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const tracer = trace.getTracer('carapace')
let recording = false

/** Called once by telemetry.ts when spans have somewhere to go. */
export function recordSpans(): void {
  recording = true
}
export const spansAreRecorded = (): boolean => recording

export const currentTrace = (): Trace | undefined => storage.getStore()

export function traceparentOf(current: Trace | undefined): string | undefined {
  return current && `00-${current.traceId}-${current.spanId}-${current.sampled ? '01' : '00'}`
}

/** Runs `work` in a new span that continues `parent` (a traceparent), or starts a trace. */
export function inSpan<T>(name: string, kind: keyof typeof kinds, parent: string | undefined, work: (current: Trace) => T): T | Promise<Awaited<T>> {
  if (recording) return inRecordedSpan(name, kind, parent, work)
  const current = newTrace(parent)
  return storage.run(current, work, current)
}

/** A span's ids that continue `parent`, or start a trace. Nothing is recorded of it; for work that needs no `currentTrace` all along. */
export function newTrace(parent: string | undefined): Trace {
  const match = parent === undefined ? null : pattern.exec(parent)
  return { traceId: match?.[1] ?? id(16), spanId: id(8), sampled: match ? match[3] === '01' : false }
}

/** Runs `work` so that `currentTrace` is `trace` in it. */
export const inTrace = <T>(trace: Trace, work: () => T): T => storage.run(trace, work)

/** What the span of an HTTP request records once it is answered. */
export function spanEnds({ span }: Trace, route: string, status: number): void {
  if (!span) return
  span.setAttributes({ 'http.route': route, 'http.response.status_code': status })
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
}

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER }

function inRecordedSpan<T>(name: string, kind: keyof typeof kinds, parent: string | undefined, work: (current: Trace) => T): Promise<Awaited<T>> {
  const outer = parent === undefined ? context.active() : propagation.extract(context.active(), { traceparent: parent })
  return tracer.startActiveSpan(name, { kind: kinds[kind] }, outer, async (span): Promise<Awaited<T>> => {
    const { traceId, spanId, traceFlags } = span.spanContext()
    const current = { traceId, spanId, sampled: (traceFlags & 1) === 1, span }
    try {
      return await storage.run(current, work, current)
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

// one read of the system's randomness serves some 300 traces
let pool = ''
let at = 0
function id(bytes: number): string {
  const digits = 2 * bytes
  if (at + digits > pool.length) {
    pool = randomBytes(8_192).toString('hex')
    at = 0
  }
  at += digits
  return pool.slice(at - digits, at)
}
