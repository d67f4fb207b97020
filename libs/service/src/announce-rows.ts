import type { Draft } from '@carapace/api'
import type { Platform } from './define.ts'
import { type Reply, reply } from './http/reply.ts'

interface Snapshot {
  of(payload: { kind: string; id: string; version: number; row: Record<string, unknown> }): Draft
}
interface Rows<T> {
  find(filter: Record<string, unknown>, options: { sort: Record<string, 1>; limit: number }): Promise<T[]>
}

/**
 * Announces rows of a store again, those after `after` in order of id, so that consumers can rebuild their projections.
 * @param filter which rows are anybody's business; default all
 * @example announceWallets: ({ body }) => announceRows(parts, treasurySnapshot, body, parts.wallets, walletRow)
 */
export async function announceRows<T extends { id: string; version: number }>(
  { emit }: Pick<Platform, 'emit'>,
  snapshot: Snapshot,
  { kind, after, limit }: { kind: string; after?: string | undefined; limit: number },
  store: Rows<T>,
  rowOf: (record: T) => Record<string, unknown>,
  filter: Record<string, unknown> = {},
): Promise<Reply> {
  const found = await store.find({ ...(after === undefined ? {} : { _id: { $gt: after } }), ...filter }, { sort: { _id: 1 }, limit })
  await emit(found.map(record => snapshot.of({ kind, id: record.id, version: record.version, row: rowOf(record) })))
  return reply(202, { announced: found.length, last: found.at(-1)?.id ?? null })
}
