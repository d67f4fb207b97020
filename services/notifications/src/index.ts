import { notificationsApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { events } from './events.ts'
import { http } from './http.ts'
import { inboxStore } from './inbox.store.ts'

export const notifications = defineService({
  api: notificationsApi,
  stores: ({ db }) => ({ inbox: inboxStore(db) }),
  http,
  events,
})
