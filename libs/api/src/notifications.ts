import { serviceApi } from './core/service-api.ts'
import { consumes } from './notifications/consumes.ts'
import * as events from './notifications/events.ts'
import * as inbox from './notifications/inbox.ts'
import * as webhooks from './notifications/webhooks.ts'

/** The inbox of each agent, and where it is delivered to. */
export const notificationsApi = serviceApi('notifications', { endpoints: { ...inbox, ...webhooks }, events, consumes })
