import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { listOf, pageQuery, timestamp, urlIn } from '../core/fields.ts'
import { delivery, deliveryStatus, notificationType, notificationTypes, secret, webhook, webhookFields } from './records.ts'

const own = { caller: 'wallet', self: 'id' } as const
const path = '/api/agents/:id/webhook'

export const getWebhook = endpoint({ method: 'get', path, summary: 'Where the inbox is delivered to', ...own, response: webhook })

export const setWebhook = endpoint({
  method: 'put',
  path,
  summary: 'Deliver new notifications to an address by Standard Webhooks; null ends that',
  ...own,
  body: z.object({
    webhookUrl: urlIn.nullable(),
    types: z
      .array(notificationType)
      .min(1)
      .max(notificationTypes.length)
      .transform(types => [...new Set(types)])
      .optional()
      .meta({ description: 'Default: every type' }),
  }),
  response: z.looseObject({ ...webhookFields, secret }).meta({ id: 'WebhookSet' }),
  sensitive: true,
  errors: ['ACCOUNT_SUSPENDED'],
})

export const rotateWebhookSecret = endpoint({
  method: 'post',
  path: '/api/agents/:id/webhook/rotate-secret',
  summary: 'Make a new secret; for 24 hours deliveries are signed with both',
  ...own,
  response: z.looseObject({ secret, previousSecretUntil: timestamp }),
  sensitive: true,
})

export const testWebhook = endpoint({
  method: 'post',
  path: '/api/agents/:id/webhook/test',
  summary: 'Deliver an event of the type webhook_test',
  ...own,
  response: z.looseObject({ delivery }),
  status: 202,
  errors: ['INVALID_STATE'],
})

export const listWebhookDeliveries = endpoint({
  method: 'get',
  path: '/api/agents/:id/webhook/deliveries',
  summary: 'Deliveries of the last 30 days with their tries, newest first',
  ...own,
  query: { status: deliveryStatus.optional(), ...pageQuery },
  response: listOf('deliveries', delivery),
})

export const replayWebhookDelivery = endpoint({
  method: 'post',
  path: '/api/agents/:id/webhook/deliveries/:deliveryId/replay',
  summary: 'Deliver again what was delivered or has failed, under the same id',
  ...own,
  response: z.looseObject({ delivery }),
  status: 202,
  errors: ['INVALID_STATE'],
})
