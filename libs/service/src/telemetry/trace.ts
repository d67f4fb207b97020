import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { ServiceName } from '@carapace/api'
import { type Attributes, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace as tracing } from '@opentelemetry/api'

/** W3C Trace Context. Ids always exist, for logs and events; spans are recorded only when an exporter is configured (telemetry.ts). */
export interface Trace {
  traceId: string
  spanId: string
  sampled: boolean
  /** Recorded and exported. */
  span?: Span
}

/** What a span is about. */
export interface SpanOf {
  by: ServiceName
  name: string
  kind: keyof typeof kinds
  attributes?: Attributes
  /** What it continues was sent by anybody: whether it is recorded follows from that only where the configuration says so. */
  fromOutside?: boolean
}

export type TracerOf = (service: ServiceName, fromOutside: boolean) => Tracer

/** A piece of work that has begun. */
export interface Begun {
  /** For what follows from it. */
  traceparent: string
  end(failed?: boolean): void
}

const kinds = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
}

const storage = new AsyncLocalStorage<Trace>()
const pattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
let tracerOf: TracerOf | undefined

/** Called by telemetry.ts when spans have somewhere to go, and without a tracer when they have not any more. */
export function recordSpans(by: TracerOf | undefined): void {
  tracerOf = by
}
export const spansAreRecorded = (): boolean => tracerOf !== undefined

export const currentTrace = (): Trace | undefined => storage.getStore()

export function traceparentOf(current: Pick<Trace, 'traceId' | 'spanId' | 'sampled'> | undefined): string | undefined {
  return current && `00-${current.traceId}-${current.spanId}-${current.sampled ? '01' : '00'}`
}

/** Runs `work` in a new span that continues `parent` (a traceparent), or starts a trace. */
export function inSpan<T>(of: SpanOf, parent: string | undefined, work: (current: Trace) => T): T | Promise<Awaited<T>> {
  const current = tracerOf === undefined ? newTrace(parent) : traceOf(start(tracerOf, of, parent))
  return current.span === undefined ? storage.run(current, work, current) : recorded({ ...current, span: current.span }, work)
}

/** Begins a span round work that nothing else is traced in. Undefined where nothing is recorded. @param startedAt Unix ms, default now */
export function beginSpan(of: SpanOf, parent: string | null | undefined, startedAt?: number): Begun | undefined {
  if (tracerOf === undefined || !parent) return undefined
  const { span, ...ids } = traceOf(start(tracerOf, of, parent, startedAt))
  if (span === undefined) return undefined
  const end = (failed = false) => {
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }
  return { traceparent: traceparentOf(ids)!, end }
}

/**
 * Begins a span whose work is no `currentTrace`; its owner ends it. Work that has to be one costs each promise of the process a call, from the first time on.
 * @example const trace = openTrace(span, parent); try { await serve(trace) } finally { trace.span?.end() }
 */
export const openTrace = (of: SpanOf, parent: string | undefined): Trace =>
  tracerOf === undefined ? newTrace(parent) : traceOf(start(tracerOf, of, parent))

/** A span's ids that continue `parent`, or start a trace. Nothing is recorded of it; for work that needs no `currentTrace` all along. */
export function newTrace(parent: string | undefined): Trace {
  const match = parent === undefined ? null : pattern.exec(parent)
  return { traceId: match?.[1] ?? id(16), spanId: id(8), sampled: match ? match[3] === '01' : false }
}

/** Runs `work` so that `currentTrace` is `trace` in it. */
export const inTrace = <T>(trace: Trace, work: () => T): T => storage.run(trace, work)

/** What the span of an HTTP request records once it is answered. */
export function spanEnds({ span }: Trace, method: string, route: string, status: number): void {
  if (!span) return
  span.updateName(`${method} ${route}`)
  span.setAttributes({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status })
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
}

function start(
  tracers: TracerOf,
  { by, name, kind, attributes = {}, fromOutside = false }: SpanOf,
  parent: string | undefined,
  startTime?: number,
): Span {
  const match = parent === undefined ? null : pattern.exec(parent)
  const outer = match && { traceId: match[1]!, spanId: match[2]!, traceFlags: Number.parseInt(match[3]!, 16) & 1, isRemote: true }
  const options = { kind: kinds[kind], attributes, ...(startTime === undefined ? {} : { startTime }) }
  return tracers(by, fromOutside).startSpan(name, options, outer ? tracing.setSpanContext(ROOT_CONTEXT, outer) : ROOT_CONTEXT)
}

function traceOf(span: Span): Trace {
  const { traceId, spanId } = span.spanContext()
  return span.isRecording() ? { traceId, spanId, sampled: true, span } : { traceId, spanId, sampled: false }
}

async function recorded<T>(current: Trace & { span: Span }, work: (current: Trace) => T): Promise<Awaited<T>> {
  try {
    return await storage.run(current, work, current)
  } catch (error) {
    current.span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    current.span.end()
  }
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
