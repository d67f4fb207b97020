import { z } from 'zod'
import { event } from './core/event.ts'
import { id } from './core/fields.ts'
import { serviceApi } from './core/service-api.ts'
import { consumes } from './notifications/consumes.ts'
import * as inbox from './notifications/inbox.ts'

export const webhookDisabled = event('notifications.webhook.disabled', 'agentId', 'A webhook failed too often', { agentId: id, host: z.string() })

/** The inbox of each agent. */
export const notificationsApi = serviceApi('notifications', { endpoints: inbox, events: { webhookDisabled }, consumes })
