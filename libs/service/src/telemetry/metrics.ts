import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** This service's metrics. Labels name route templates and event types, never ids. */
export interface Metrics {
  registry: Registry
  /** A request that was answered, and its duration in seconds. */
  answered(route: string, method: string, status: number, seconds: number): void
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
