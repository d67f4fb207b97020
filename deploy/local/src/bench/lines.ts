/** One line of the table of benches. */
export interface Line {
  what: string
  /** What it is measured against, in the same run. */
  limit: string
  /** Of what is no ratio. */
  unit: string
  better: 'more' | 'less'
  goal: number
  /** 15 % worse than the median of a run of all benches on a quiet machine: worse fails. Undefined until it was measured. */
  floor: number | undefined
}

const atLeast = (what: string, limit: string, goal: number, unit = '', floor?: number): Line => ({ what, limit, better: 'more', goal, unit, floor })
const atMost = (what: string, limit: string, goal: number, unit = '', floor?: number): Line => ({ what, limit, better: 'less', goal, unit, floor })

/** CPU of server and database for a request, unless the line says otherwise. */
export const lines = {
  'reads.agent': atMost('GET agent through the gateway', 'raw findOne in plain node', 2.5, '', 3.2),
  'reads.gig': atMost('GET gig through the gateway', 'raw findOne in plain node', 2.5, '', 3.57),
  'reads.list20': atMost('list of 20 of 1,000 agents', 'raw indexed query of 20', 2.5, '', 1.96),
  'reads.list100': atMost('list of 100', 'raw indexed query of 100', 2.5, '', 1.91),
  'reads.discover': atMost('discover, 20', 'raw indexed query of 20', 2.5, '', 2.59),
  'reads.search': atMost('search, 20', 'raw indexed query of 20', 2.5, '', 2.43),
  'reads.leaderboard': atMost('leaderboard', 'raw indexed query of the same size', 2.5, '', 1.59),
  'reads.growth': atMost('slowest growing list at 10,000 agents', 'the same at 1,000', 1.2, '', 1.28),
  'reads.searchGrowth': atMost('text search at 10,000 agents', 'the same at 1,000', 1.5, '', 1.23),
  'reads.mostGrowth': atMost('slowest growing list of agents at 100,000', 'the same at 1,000', 1.2, '', 1.35),
  'reads.mostSearchGrowth': atMost('text search at 100,000 agents', 'the same at 1,000', 1.5, '', 1.21),
  'writes.gig': atMost('POST gig', 'raw writes, as many and as large', 3, '', 4.17),
  'writes.heartbeat': atMost('heartbeat, a further one', 'raw write of the document', 3, '', 5.13),
  'writes.registration': atMost('registration without its chain work', 'raw writes of the same documents', 3, '', 3.72),
  'gateway.cached': atLeast('public GET repeated within a second', 'plain node, same bytes', 0.6, '', 0.25),
  'gateway.proxied': atLeast('proxied GET with all middleware', 'bare undici pipe, same backend', 0.8, '', 0.33),
  'gateway.healthz': atLeast('/healthz', 'plain node, same bytes', 0.6, '', 0.4),
  framework: atLeast('service framework without a database', 'plain node', 0.7, '', 0.35),
  'gig.perSecond': atLeast('whole gigs, post to receipt, 8 at a time', 'what it was before', 1, '/s', 2.69),
  'gig.bare': atLeast('whole gig by CPU, with the anvils', 'bare anvil with the same transactions, and raw writes', 0.5, '', 0.05),
  'gig.cpu': atMost('CPU of a whole gig, without the anvils', '', 0.35, ' s', 0.46),
  'gig.growth': atMost('CPU of a whole gig among 10,000 agents', 'the same among 1,000', 1.2, '', 1.24),
  'gig.mostGrowth': atMost('CPU of a whole gig among 100,000 agents', 'the same among 1,000', 1.2, '', 1.24),
  'gig.paid': atMost('submit to paid, votes immediately', '', 2_000, ' ms', 1_666),
  'relayer.unbatched': atLeast('relayer, unbatched', 'pre-signed raw transactions into the same anvil', 0.5, '', 0.19),
  'relayer.batched': atLeast('relayer, batched', 'the same, operation for transaction', 1, '', 0.46),
  'events.p50': atMost('commit to applied over RabbitMQ, 1,000/s, p50', '', 8, ' ms', 16),
  'events.p99': atMost('the same, p99', '', 40, ' ms', 44.4),
  'bus.publish': atLeast('bus.publish in batches of 100', 'bare amqplib, batches of 100', 0.8, '', 0.77),
  'store.relay': atLeast('outbox relay, 100 events a document', 'bare amqplib, batches of 100', 0.7, '', 0.6),
  'payments.paid': atMost('x402 payment, challenge to data, p50', '', 400, ' ms', 116),
  'burst.slowest': atMost('200 concurrent calls of one money operation', '', 10_000, ' ms', 9_647),
  'idle.cpu': atMost('idle, of one core, without the anvils', '', 1, ' %', 3.98),
  'memory.idle': atMost('memory (PSS) of everything but the anvils, idle', '', 350, ' MB', 385),
  'memory.reads': atMost('the same after 100,000 reads', '', 350, ' MB', 460),
  start: atMost('npm start to ready, compiled', 'anvils and engine alone', 2, ' s more', 2.54),
  'engine.insert': atLeast('embedded engine, bulk insert', '', 20_000, '/s', 30_487),
  'engine.growth': atMost('embedded engine, memory after an update of 500,000', 'before it', 64, ' MB', 32),
} as const satisfies Record<string, Line>

export type LineName = keyof typeof lines
