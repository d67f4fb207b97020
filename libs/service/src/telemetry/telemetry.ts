import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceName } from '@carapace/api'
import { ROOT_CONTEXT, type Tracer } from '@opentelemetry/api'
import type { BasicTracerProvider, Sampler } from '@opentelemetry/sdk-trace-base'
import type { Config } from '../config/config.ts'
import { newTrace, recordSpans } from './trace.ts'

type Settings = Pick<Config, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG'>

/**
 * Starts the export of spans to an OTLP endpoint (HTTP, JSON), where one is configured. Closing it sends what is left. Loaded only where it is wanted:
 * it would be a fifth of a service's start.
 * @example const telemetry = await startTelemetry(config)
 */
export async function startTelemetry(config: Settings): Promise<{ close(): Promise<void> }> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return { close: async () => undefined }
  const [exporters, resources, sdk] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
  ])
  const exporter = new exporters.OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })
  const spanProcessors = [new sdk.BatchSpanProcessor(exporter)]
  const samplers = samplersOf(config, sdk)
  /** By service, of what comes from outside and of what follows from our own spans. */
  const tracers = { outside: new Map<ServiceName, Tracer>(), inside: new Map<ServiceName, Tracer>() }
  const open = (service: ServiceName, from: keyof typeof tracers): Tracer => {
    const resource = resources.resourceFromAttributes({ 'service.name': service, 'service.namespace': 'carapace' })
    const provider: BasicTracerProvider = new sdk.BasicTracerProvider({ resource, sampler: samplers[from], spanProcessors })
    const tracer = provider.getTracer('carapace')
    tracers[from].set(service, tracer)
    return tracer
  }
  recordSpans((service, fromOutside) => {
    const from = fromOutside ? 'outside' : 'inside'
    return tracers[from].get(service) ?? open(service, from)
  })
  return {
    close: async () => {
      recordSpans(undefined)
      // spans are worth neither a failed end nor a late one
      const flushed = Promise.allSettled(spanProcessors.map(processor => processor.shutdown()))
      const isOver = new AbortController()
      await Promise.race([flushed, sleep(flushMs, undefined, { signal: isOver.signal })])
      isOver.abort()
    },
  }
}

/** So long the end of a process waits for a collector that does not answer. */
const flushMs = 2_000

/**
 * Which traces are recorded. That is decided once, where a trace begins here, and the rest of it follows. Unless the sampler is one by the parent, neither
 * the flag nor the id that a caller sent has a part in it: the ratio is drawn by an id of our own.
 */
function samplersOf(
  { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Settings,
  sdk: typeof import('@opentelemetry/sdk-trace-base'),
): { outside: Sampler; inside: Sampler } {
  const roots: Record<string, () => Sampler> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  }
  const root = roots[name.replace('parentbased_', '')]!()
  const inside = new sdk.ParentBasedSampler({ root })
  const own: Sampler = {
    shouldSample: (_context, _traceId, ...rest) => root.shouldSample(ROOT_CONTEXT, newTrace(undefined).traceId, ...rest),
    toString: () => `own decision by ${root.toString()}`,
  }
  return { outside: name.startsWith('parentbased_') ? inside : own, inside }
}
