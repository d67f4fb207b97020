import { z } from 'zod'
import { event } from '../core/event.ts'
import { id } from '../core/fields.ts'

const disabled = { agentId: id, host: z.string() }
export const webhookDisabled = event('notifications.webhook.disabled', 'agentId', 'A webhook failed too often', disabled, { parties: ['agentId'] })
