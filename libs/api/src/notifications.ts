import { serviceApi } from './core/service-api.ts'
import { consumes } from './notifications/consumes.ts'
import * as events from './notifications/events.ts'
import * as inbox from './notifications/inbox.ts'
import { streamEvents } from './notifications/live.ts'
import * as webhooks from './notifications/webhooks.ts'

/** The inbox of each agent, where it is delivered to, and the live stream of what happens. */
export const notificationsApi = serviceApi('notifications', { endpoints: { ...inbox, ...webhooks, streamEvents }, events, consumes })
