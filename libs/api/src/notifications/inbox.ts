import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { flagQuery, listOf, pageQuery, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { notification } from './records.ts'

const own = { caller: 'optional', signed: 'agent', self: 'id' } as const

export const listNotifications = endpoint({
  method: 'get',
  path: '/api/agents/:id/notifications',
  summary: 'The inbox, newest first',
  ...own,
  query: { unreadOnly: flagQuery.optional(), ...pageQuery },
  response: listOf('notifications', notification).extend({ unreadCount: z.int() }),
})

export const streamNotifications = endpoint({
  method: 'get',
  path: '/api/agents/:id/notifications/stream',
  summary: 'New notifications as server-sent events; Last-Event-ID repeats what came since, for 7 days',
  ...own,
  produces: 'text/event-stream',
})

export const countUnreadNotifications = endpoint({
  method: 'get',
  path: '/api/agents/:id/notifications/unread-count',
  summary: 'How many notifications are unread',
  ...own,
  response: z.looseObject({ count: z.int() }),
})

export const countUnread = endpoint({
  method: 'get',
  path: '/api/agents/:id/unread-count',
  summary: 'How many messages and notifications are unread',
  ...own,
  response: z.looseObject({ unreadCount: z.int(), count: z.int(), messages: z.int(), notifications: z.int() }),
})

export const markNotifications = endpoint({
  method: 'patch',
  path: '/api/agents/:id/notifications',
  summary: 'Mark notifications as read or unread; all without notificationIds',
  caller: 'agent',
  signed: 'wallet',
  self: 'id',
  body: z.object({
    read: z.boolean(),
    notificationIds: z.array(uuid).max(limits.list.notificationIds).optional(),
  }),
  response: z.looseObject({ updated: z.int(), unreadCount: z.int() }),
})
