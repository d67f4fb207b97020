import type { notificationsApi } from '@carapace/api'
import type { HandlersOf } from '@carapace/service'
import type { Inbox } from './inbox.store.ts'

export const http = ({ inbox }: { inbox: Inbox }): HandlersOf<typeof notificationsApi> => ({
  listNotifications: async ({ params, query }) => {
    const { limit, offset, unreadOnly = false } = query
    const [{ notifications, total }, unreadCount] = await Promise.all([inbox.page(params.id, { limit, offset, unreadOnly }), inbox.unread(params.id)])
    return { notifications, unreadCount, total, limit, offset }
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
