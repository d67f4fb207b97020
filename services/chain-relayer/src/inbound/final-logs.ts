import type { Chain, chainRelayerApi, ResponseOf } from '@carapace/api'
import type { Network } from '../chain/network.ts'
import { eventOf } from '../lane/announce.ts'
import type { Collections, CursorRecord, EventRecord } from '../lane/collections.ts'
import { removalOf, sightingOf } from './announce-logs.ts'

type Answer = ResponseOf<typeof chainRelayerApi.internal.chainLogs>

const perAnswer = 500

/**
 * Final events of contracts after a block, in whole blocks: a consumer compares them with what it handled.
 * The answer ends before the first block of which an event still waits to be announced as final.
 */
export async function finalLogs(
  db: Collections,
  { chain, finality }: Pick<Network, 'chain' | 'finality'>,
  after: number,
  contracts: readonly string[],
  now: Date,
): Promise<Answer> {
  const complete = Math.max(after, await completeUpTo(db, chain, finality))
  const wanted = { network: chain, final: true, removed: false, 'data.contract': { $in: [...contracts] } }
  const first = await db.events
    .find({ ...wanted, blockNumber: { $gt: after, $lte: complete } })
    .sort({ blockNumber: 1 })
    .limit(perAnswer)
    .toArray()
  const more = first.length === perAnswer
  const upTo = more ? first.at(-1)!.blockNumber : complete
  const rest = more ? await db.events.find({ ...wanted, blockNumber: upTo }).toArray() : []
  const records = new Map([...first, ...rest].map(record => [record._id, record]))
  const time = now.toISOString()
  return { upTo, more, events: [...records.values()].sort(inOrder).map(record => eventOf(sightingOf(record, true), time)) }
}

type Withdrawn = ResponseOf<typeof chainRelayerApi.internal.chainRemovedLogs>

/** Two leaders may disagree about the time, and a withdrawal is stored after its publication. */
const withdrawalMarginMs = 60_000

/** Events of contracts that were withdrawn from a moment on, in whole milliseconds: a consumer compares them with what it handled. */
export async function withdrawnLogs(db: Collections, network: Chain, since: number, contracts: readonly string[], now: Date): Promise<Withdrawn> {
  const start = Date.now()
  const wanted = { network, removed: true, 'data.contract': { $in: [...contracts] } }
  const first = await db.events
    .find({ ...wanted, removedAt: { $gte: since } })
    .sort({ removedAt: 1 })
    .limit(perAnswer)
    .toArray()
  const more = first.length === perAnswer
  const last = first.at(-1)?.removedAt ?? 0
  const rest = more ? await db.events.find({ ...wanted, removedAt: last }).toArray() : []
  const records = new Map([...first, ...rest].map(record => [record._id, record]))
  const time = now.toISOString()
  return {
    upTo: more ? last + 1 : Math.max(since, start - withdrawalMarginMs),
    more,
    events: [...records.values()].map(record => eventOf(removalOf(record), time)),
  }
}

/** The last block that is worked off, final, and whose events were all announced. */
async function completeUpTo(db: Collections, chain: Chain, finality: number): Promise<number> {
  const firstWaiting = [{ $match: { network: chain, final: false } }, { $sort: { blockNumber: 1 } }, { $limit: 1 }]
  const stages = [{ $match: { _id: chain } }, { $unionWith: { coll: db.events.collectionName, pipeline: firstWaiting } }]
  const found = await db.cursors.aggregate<CursorRecord | EventRecord>(stages).toArray()
  const head = found.flatMap(row => ('ring' in row ? row.ring : [])).at(-1)?.number
  const waiting = found.find((row): row is EventRecord => !('ring' in row))
  if (head === undefined) return -1
  return Math.min(head - finality, waiting ? waiting.blockNumber - 1 : head)
}

const placeOf = ({ data }: EventRecord): number => Number(data.logIndex)
const inOrder = (a: EventRecord, b: EventRecord): number => a.blockNumber - b.blockNumber || placeOf(a) - placeOf(b)
