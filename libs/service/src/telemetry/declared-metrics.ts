/** What is measured. Labels name routes by their templates, types of events, networks and the like, never ids. */
export interface DeclaredMetric {
  kind: 'counter' | 'gauge' | 'histogram'
  help: string
  /** Part of the name that Prometheus reads. */
  unit?: 's'
  labels: readonly string[]
  /** Upper bounds, of a histogram. */
  buckets?: readonly number[]
}

const perChain = (help: string) => ({ kind: 'gauge', help, labels: ['chain'] }) as const

/**
 * Every metric of Carapace, by the name that OpenTelemetry's conventions have for it where they have one. `/metrics` shows it with `_` for each dot and
 * ends it with the unit, and `_total` for a counter.
 */
export const declaredMetrics = {
  'http.server.request.duration': {
    kind: 'histogram',
    help: 'Duration of requests',
    unit: 's',
    labels: ['http.route', 'http.request.method', 'http.response.status_code'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
  },
  'messaging.client.sent.messages': {
    kind: 'counter',
    help: 'Messages handed to the broker by their types; one that is sent again counts again',
    labels: ['messaging.destination.name'],
  },
  'messaging.client.consumed.messages': {
    kind: 'counter',
    help: 'Messages handled: done, retry (tried again), failed (tried again after an accident) or unknown',
    labels: ['messaging.destination.name', 'outcome'],
  },
  'messaging.dead.messages': { kind: 'counter', help: 'Messages whose last try failed', labels: ['messaging.destination.name'] },
  'queue.depth': { kind: 'gauge', help: 'Messages that wait in a queue of this service; the gateway shows all', labels: ['queue'] },
  'outbox.lag': { kind: 'gauge', help: 'Age of the oldest unsent event', unit: 's', labels: [] },
  'saga.age': { kind: 'gauge', help: 'Age of the oldest command to the chain whose end is not handled', unit: 's', labels: [] },
  'saga.stuck': { kind: 'gauge', help: 'Sagas that need an operator', labels: ['name'] },
  'invariant.broken': { kind: 'gauge', help: 'Breaches of a money invariant', labels: ['name'] },
  'db.client.connection.count': { kind: 'gauge', help: 'Connections to the database', labels: ['db.client.connection.state'] },
  'db.client.connection.pending_requests': { kind: 'gauge', help: 'Operations that wait for a connection to the database', labels: [] },
  'locked.usdc': { kind: 'gauge', help: 'USDC in open escrows', labels: ['chain'] },
  'x402.calls': {
    kind: 'counter',
    help: 'Calls with a price: challenged, paid, repeated (served before), replayed (nonce used) or failed',
    labels: ['outcome'],
  },
  'chain.confirmation': {
    kind: 'histogram',
    help: 'Time from a command to its confirmation',
    unit: 's',
    labels: ['chain'],
    buckets: [0.5, 1, 2, 5, 10, 20, 60, 300],
  },
  'lane.depth': perChain('Operations that are not signed yet'),
  'lane.inflight': perChain('Transactions that are not mined yet'),
  'lane.nonce_gap': perChain('Nonces below the next one that nothing holds; must be 0'),
  'lane.leading': perChain('1 while this process leads the lane'),
  'lane.contradicted': perChain('1 while the node contradicts itself and the lane waits'),
  'lane.unchecked': perChain('Header fields that this network fills in another way: receipts are not compared with them'),
  'lane.paused': perChain('1 while the lane signs and sends nothing'),
} as const satisfies Record<string, DeclaredMetric>

export type MetricName = keyof typeof declaredMetrics
export type NamesOf<Kind extends DeclaredMetric['kind']> = {
  [Name in MetricName]: (typeof declaredMetrics)[Name]['kind'] extends Kind ? Name : never
}[MetricName]
/** The labels of a metric. */
export type LabelsOf<Name extends MetricName> = Readonly<Record<(typeof declaredMetrics)[Name]['labels'][number], string>>
