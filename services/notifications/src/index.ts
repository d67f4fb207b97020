import { notificationsApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { events } from './events.ts'
import { http } from './http.ts'
import { inboxStore } from './inbox.store.ts'
import { owners } from './owner.ts'
import { notificationStreams } from './stream.ts'

export const notifications = defineService({
  api: notificationsApi,
  stores: ({ db, clock, peers }) => {
    const inbox = inboxStore(db)
    return { inbox, streams: notificationStreams(inbox, clock), ownerOf: owners(peers) }
  },
  http,
  events,
})
