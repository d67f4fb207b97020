import { chainEvent, chainEventRemoved } from '@carapace/api'
import type { Announcement } from '../lane/announce.ts'
import type { EventRecord } from '../lane/collections.ts'

/** A contract event as its consumers receive it: first when it is seen, then when its block is final. */
export function sightingOf(record: EventRecord, final: boolean): Announcement {
  const data = record.data as unknown as Parameters<ReturnType<typeof chainEvent>['of']>[0]
  const draft = chainEvent(data.contract, data.event).of({ ...data, final })
  return { draft, identity: `${record._id}#${final}`, version: final ? 1 : 0, traceparent: null }
}

/** The event was dropped with its block. */
export function removalOf(record: EventRecord): Announcement {
  const data = record.data as unknown as Parameters<typeof chainEventRemoved.of>[0]
  return { draft: chainEventRemoved.of(data), identity: `${record._id}#removed`, version: 0, traceparent: null }
}
