import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** This service's metrics. Labels name route templates and event types, never ids. */
export interface Metrics {
  registry: Registry
  requests: Histogram<'route' | 'method' | 'status'>
  events: Counter<'type' | 'outcome'>
  /** A gauge that is read when it is scraped. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** One gauge with a label; `read` answers the value for each of its values. */
  gauges(name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>): void
  counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label>
}

export function makeMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  return {
    registry,
    requests: new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'Duration of requests',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers: [registry],
    }),
    events: new Counter({ name: 'events_handled_total', help: 'Events handled', labelNames: ['type', 'outcome'], registers: [registry] }),
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read())
        },
      })
    },
    gauges: (name, help, label, read) => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect() {
          for (const [value, number] of read()) this.set({ [label]: value }, number)
        },
      })
    },
    counter: (name, help, labels) => new Counter({ name, help, labelNames: [...labels], registers: [registry] }),
  }
}
