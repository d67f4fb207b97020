import type { ServiceName } from '@carapace/api'
import type { Attributes } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, type ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { type DeclaredMetric, declaredMetrics, type LabelsOf, type MetricName, type NamesOf } from './declared-metrics.ts'

/** A value for each value of the one label. */
type Series = Iterable<readonly [label: string, value: number]>
type Read = () => number | Series | Promise<number | Series>

/** The metrics of one service; all are declared in declared-metrics.ts. */
export interface Metrics {
  count<Name extends NamesOf<'counter'>>(name: Name, labels: LabelsOf<Name>): void
  record<Name extends NamesOf<'histogram'>>(name: Name, value: number, labels: LabelsOf<Name>): void
  /** A gauge that is read when it is scraped; one that cannot be read then is left out. */
  observe(name: NamesOf<'gauge'>, read: Read): void
  /** A request that was answered, and its duration in seconds. */
  answered(route: string, method: string, status: number, seconds: number): void
  /** As Prometheus reads them. */
  text(): Promise<string>
}

/** Content type of `Metrics.text`. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** A gauge whose source does not answer delays the others so long. */
const timeoutMillis = 5_000

export function makeMetrics(service: ServiceName): Metrics {
  const reader = new PrometheusExporter({ preventServerStart: true })
  const resource = resourceFromAttributes({ 'service.name': service, 'service.namespace': 'carapace' })
  const meter = new MeterProvider({ resource, readers: [reader] }).getMeter('carapace')
  const serializer = new PrometheusSerializer(undefined, false, /^service\.name$/, false, true)
  const once = <Instrument>(make: (name: MetricName) => Instrument) => {
    const made = new Map<MetricName, Instrument>()
    return (name: MetricName): Instrument => {
      const instrument = made.get(name) ?? make(name)
      made.set(name, instrument)
      return instrument
    }
  }
  const counters = once(name => meter.createCounter(name, optionsOf(name)))
  const histograms = once(name => meter.createHistogram(name, optionsOf(name)))
  const requests = histograms('http.server.request.duration')
  /** Labels are made once for each series. */
  const series = new Map<string, Attributes>()
  return {
    count: (name, labels) => counters(name).add(1, labels),
    record: (name, value, labels) => histograms(name).record(value, labels),
    observe: (name, read) => {
      const [label] = declaredMetrics[name].labels
      meter.createObservableGauge(name, optionsOf(name)).addCallback(async result => {
        const values = await read()
        if (typeof values === 'number') result.observe(values)
        else for (const [value, number] of values) result.observe(number, label === undefined ? {} : { [label]: value })
      })
    },
    answered: (route, method, status, seconds) => {
      const key = `${status} ${method} ${route}`
      let labels = series.get(key)
      if (labels === undefined) {
        labels = { 'http.route': route, 'http.request.method': method, 'http.response.status_code': status }
        series.set(key, labels)
      }
      requests.record(seconds, labels)
    },
    text: async () => serializer.serialize(withUnits((await reader.collect({ timeoutMillis })).resourceMetrics)),
  }
}

function optionsOf(name: MetricName) {
  const { help, unit, buckets }: DeclaredMetric = declaredMetrics[name]
  return { description: help, ...(unit ? { unit } : {}), ...(buckets ? { advice: { explicitBucketBoundaries: [...buckets] } } : {}) }
}

const units: Readonly<Record<string, string>> = { s: 'seconds' }

/** Prometheus wants units in the names; the exporter leaves them out. */
const withUnits = ({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics => ({
  resource,
  scopeMetrics: scopeMetrics.map(({ scope, metrics }) => ({
    scope,
    metrics: metrics.map(metric => {
      const unit = units[metric.descriptor.unit]
      return unit ? { ...metric, descriptor: { ...metric.descriptor, unit, name: `${metric.descriptor.name}.${unit}` } } : metric
    }),
  })),
})
