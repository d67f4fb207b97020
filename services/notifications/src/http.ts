import type { notificationsApi } from '@carapace/api'
import { eventStream, type HandlersOf } from '@carapace/service'
import type { Inbox } from './inbox.store.ts'
import type { Owners } from './owner.ts'
import type { Streams } from './stream.ts'

interface Parts {
  inbox: Inbox
  streams: Streams
  ownerOf: Owners
}

export const http = ({ inbox, streams, ownerOf }: Parts): HandlersOf<typeof notificationsApi> => ({
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
    const notifications = await inbox.unread(await ownerOf(params.id))
    return { unreadCount: notifications, count: notifications, messages: 0, notifications }
  },

  markNotifications: async ({ params, body }) => {
    const updated = await inbox.mark(params.id, body.read, body.notificationIds)
    return { updated, unreadCount: await inbox.unread(params.id) }
  },
})
