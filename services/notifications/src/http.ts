import { type notificationsApi, socialApi } from '@carapace/api'
import { eventStream, type HandlersOf, type Platform } from '@carapace/service'
import type { Inbox } from './inbox.store.ts'
import { liveHandlers } from './live/http.ts'
import type { LiveStreams } from './live/streams.ts'
import type { Owners } from './owner.ts'
import type { Streams } from './stream.ts'
import type { DeliveryParts } from './webhook/deliver.ts'
import { webhookHandlers } from './webhook/http.ts'

/** A read is answered while the other service restarts (behaviour 1.12). */
const restartMs = 4_000

interface Parts extends Pick<Platform, 'peers'>, DeliveryParts {
  inbox: Inbox
  streams: Streams
  live: LiveStreams
  ownerOf: Owners
}

export const http = ({ inbox, streams, live, ownerOf, peers, ...parts }: Parts): HandlersOf<typeof notificationsApi> => ({
  ...webhookHandlers({ inbox, ...parts }),
  ...liveHandlers({ live, ownerOf }),

  listNotifications: async ({ params, query }) => {
    const { limit, offset, unreadOnly = false } = query
    const id = await ownerOf(params.id)
    const [{ notifications, total }, unreadCount] = await Promise.all([inbox.page(id, { limit, offset, unreadOnly }), inbox.unread(id)])
    return { notifications, unreadCount, total, limit, offset }
  },

  streamNotifications: async ({ params, lastEventId }) => {
    const id = await ownerOf(params.id)
    const from = await streams.placeOf(id, lastEventId)
    return eventStream(streams.open(id, from))
  },

  countUnreadNotifications: async ({ params }) => ({ count: await inbox.unread(await ownerOf(params.id)) }),

  countUnread: async ({ params }) => {
    const id = await ownerOf(params.id)
    const [notifications, { count: messages }] = await Promise.all([
      inbox.unread(id),
      peers.call('social', socialApi.internal.countUnreadMessages, { params: { id }, timeoutMs: restartMs }),
    ])
    const count = notifications + messages
    return { unreadCount: count, count, messages, notifications }
  },

  markNotifications: async ({ params, body }) => {
    const updated = await inbox.mark(params.id, body.read, body.notificationIds)
    return { updated, unreadCount: await inbox.unread(params.id) }
  },
})
