import { notificationsApi } from '@carapace/api'
import { defineService, type Platform } from '@carapace/service'
import { events } from './events.ts'
import { http } from './http.ts'
import { inboxStore } from './inbox.store.ts'
import { liveStore } from './live/live.store.ts'
import { liveStreams } from './live/streams.ts'
import { owners } from './owner.ts'
import { notificationStreams } from './stream.ts'
import { deliveryStates } from './webhook/delivery-states.ts'
import { jobs, webhookParts } from './webhook/parts.ts'

const stores = (platform: Platform) => {
  const { db, clock, peers } = platform
  const inbox = inboxStore(db)
  const live = liveStreams(liveStore(db), db.exclusive)
  return { inbox, live, streams: notificationStreams(inbox, clock, live.watch), ownerOf: owners(peers), ...webhookParts(platform) }
}

export const notifications = defineService({ api: notificationsApi, states: [deliveryStates], stores, http, events, jobs })
