import type { AnyEvent } from '@carapace/api'

/** Which events make a part of a page stale: the query of `GET /api/events` that the script follows. */
export const liveOn = (events: readonly Pick<AnyEvent, 'name'>[], about: Readonly<Record<string, string>> = {}): string =>
  new URLSearchParams({ ...about, type: events.map(({ name }) => name).join(',') }).toString()
