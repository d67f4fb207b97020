import type { notificationsApi } from '@carapace/api'
import { eventStream, type HandlersOf } from '@carapace/service'
import type { Inbox } from './inbox.store.ts'
import type { Streams } from './stream.ts'

interface Parts {
  inbox: Inbox
  streams: Streams
}

export const http = ({ inbox, streams }: Parts): HandlersOf<typeof notificationsApi> => ({
  listNotifications: async ({ params, query }) => {
    const { limit, offset, unreadOnly = false } = query
    const [{ notifications, total }, unreadCount] = await Promise.all([inbox.page(params.id, { limit, offset, unreadOnly }), inbox.unread(params.id)])
    return { notifications, unreadCount, total, limit, offset }
  },

  streamNotifications: async ({ params, lastEventId }) => {
    const from = await streams.placeOf(params.id, lastEventId)
    return eventStream(streams.open(params.id, from))
  },

  countUnreadNotifications: async ({ params }) => ({ count: await inbox.unread(params.id) }),

  countUnread: async ({ params }) => {
    const notifications = await inbox.unread(params.id)
    return { unreadCount: notifications, count: notifications, messages: 0, notifications }
  },

  markNotifications: async ({ params, body }) => {
    const updated = await inbox.mark(params.id, body.read, body.notificationIds)
    return { updated, unreadCount: await inbox.unread(params.id) }
  },
})
