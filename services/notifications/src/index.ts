import { notificationsApi } from '@carapace/api'
import { defineService, type Platform } from '@carapace/service'
import { events } from './events.ts'
import { http } from './http.ts'
import { inboxStore } from './inbox.store.ts'
import { owners } from './owner.ts'
import { notificationStreams } from './stream.ts'
import { deliveryStates } from './webhook/delivery-states.ts'
import { jobs, webhookParts } from './webhook/parts.ts'

const stores = (platform: Platform) => {
  const inbox = inboxStore(platform.db)
  return { inbox, streams: notificationStreams(inbox, platform.clock), ownerOf: owners(platform.peers), ...webhookParts(platform) }
}

export const notifications = defineService({ api: notificationsApi, states: [deliveryStates], stores, http, events, jobs })
