import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceName } from '@carapace/api'
import type { Tracer } from '@opentelemetry/api'
import type { BasicTracerProvider, Sampler } from '@opentelemetry/sdk-trace-base'
import type { Config } from '../config/config.ts'
import { recordSpans } from './trace.ts'

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
  const sampler = samplerOf(config, sdk)
  const tracers = new Map<ServiceName, Tracer>()
  const open = (service: ServiceName): Tracer => {
    const resource = resources.resourceFromAttributes({ 'service.name': service, 'service.namespace': 'carapace' })
    const provider: BasicTracerProvider = new sdk.BasicTracerProvider({ resource, sampler, spanProcessors })
    const tracer = provider.getTracer('carapace')
    tracers.set(service, tracer)
    return tracer
  }
  recordSpans(service => tracers.get(service) ?? open(service))
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

/** Which traces are recorded. By the ratio every process decides alike: it follows from the id of the trace. */
function samplerOf(
  { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Settings,
  sdk: typeof import('@opentelemetry/sdk-trace-base'),
): Sampler {
  const roots: Record<string, () => Sampler> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  }
  const root = roots[name.replace('parentbased_', '')]!()
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root
}
