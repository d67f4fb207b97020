import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** This service's metrics. Labels name route templates and event types, never ids. */
export interface Metrics {
  registry: Registry
  /** A request that was answered, and its duration in seconds. */
  answered(route: string, method: string, status: number, seconds: number): void
  /** Events that were handled, by what became of them. */
  events: Counter<'type' | 'outcome'>
  /** Events that were handed to the broker; one that is sent again counts again. */
  published: Counter<'type'>
  /** Events whose last try failed. */
  dead: Counter<'type'>
  /** A gauge that is read when it is scraped. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** One gauge with a label; `read` answers the value for each of its values. */
  gauges(name: string, help: string, label: string, read: () => Series | Promise<Series>): void
  counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label>
  histogram<Label extends string>(name: string, help: string, buckets: readonly number[], labels: readonly Label[]): Histogram<Label>
}

type Series = Iterable<readonly [label: string, value: number]>

export function makeMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of requests',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  /** Labels are looked up once for each series: hashing them costs more than counting. */
  const series = new Map<string, { observe(seconds: number): void }>()
  return {
    registry,
    answered: (route, method, status, seconds) => {
      const key = `${status} ${method} ${route}`
      const one = series.get(key) ?? requests.labels({ route, method, status })
      series.set(key, one)
      one.observe(seconds)
    },
    events: new Counter({ name: 'events_handled_total', help: 'Events handled', labelNames: ['type', 'outcome'], registers: [registry] }),
    published: new Counter({ name: 'events_published_total', help: 'Events handed to the broker', labelNames: ['type'], registers: [registry] }),
    dead: new Counter({ name: 'events_dead_total', help: 'Events whose last try failed', labelNames: ['type'], registers: [registry] }),
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
        async collect() {
          for (const [value, number] of await read()) this.set({ [label]: value }, number)
        },
      })
    },
    counter: (name, help, labels) => new Counter({ name, help, labelNames: [...labels], registers: [registry] }),
    histogram: (name, help, buckets, labels) => new Histogram({ name, help, buckets: [...buckets], labelNames: [...labels], registers: [registry] }),
  }
}
