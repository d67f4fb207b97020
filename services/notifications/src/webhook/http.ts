import { randomBytes } from 'node:crypto'
import { limits, type notificationsApi, refuse } from '@carapace/api'
import { allowsLoopback, type Handlers, type Platform, recordIdOf } from '@carapace/service'
import { bodyOf, type DeliveryParts, isFull } from './deliver.ts'
import { deliveryView, ofAgent, queued, replayed } from './delivery.ts'
import { checkAddress, resealed, rotated, setTo, type Webhook } from './webhook.ts'

const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

const view = (webhook: Webhook | undefined) => ({
  webhookUrl: webhook?.url ?? null,
  types: webhook?.types ?? null,
  disabledAt: webhook?.disabledAt?.toISOString() ?? null,
  previousSecretUntil: webhook?.previous?.until.toISOString() ?? null,
})

/** Whether a delivery may be queued by hand. @throws NOT_FOUND, INVALID_STATE, RATE_LIMITED */
async function assertRoom({ webhooks, deliveries }: DeliveryParts, agentId: string): Promise<void> {
  const { disabledAt } = await webhooks.need(agentId)
  if (disabledAt) refuse('INVALID_STATE', { state: 'disabled', allowed: ['enabled'] })
  if (await isFull(deliveries, agentId))
    refuse('RATE_LIMITED', { waiting: limits.webhook.waiting }, { message: 'Too many deliveries wait for this webhook' })
}

export const webhookHandlers = (parts: DeliveryParts & Pick<Platform, 'config'>) =>
  ({
    getWebhook: async ({ params }) => view(await parts.webhooks.get(params.id)),

    setWebhook: async ({ params: { id }, body: { webhookUrl: url, types = null } }) => {
      const { webhooks } = parts
      if (url === null) {
        await webhooks.remove(id)
        return { ...view(undefined), secret: null }
      }
      checkAddress(url, allowsLoopback(parts))
      const wanted = { url, types }
      const secret = newSecret()
      const sealed = { secret: parts.sealing.seal(secret, id), sealedBy: parts.sealing.keyId }
      const made = await webhooks.createOnce(id, () => ({ state: { id, ...wanted, ...sealed, previous: null, disabledAt: null }, events: [] }))
      if (made.secret === sealed.secret) return { ...view(made), secret }
      return { ...view(await webhooks.change(id, webhook => ({ state: setTo(webhook, wanted), events: [] }))), secret: null }
    },

    rotateWebhookSecret: async ({ params: { id } }) => {
      const secret = newSecret()
      const sealed = parts.sealing.seal(secret, id)
      const { previous } = await parts.webhooks.change(id, webhook => ({
        state: rotated(resealed(webhook, parts.sealing), sealed, parts.clock.now()),
        events: [],
      }))
      return { secret, previousSecretUntil: previous!.until.toISOString() }
    },

    testWebhook: async ({ params: { id: agentId }, operationId }) => {
      await assertRoom(parts, agentId)
      const id = `msg_${recordIdOf(operationId)}`
      const now = parts.clock.now()
      const body = bodyOf({ type: 'webhook_test', createdAt: now.toISOString() })
      const delivery = await parts.deliveries.createOnce(id, () => ({
        state: queued({ id, agentId, notificationId: null, type: 'webhook_test', body }, now),
        events: [],
      }))
      return { delivery: deliveryView(delivery) }
    },

    listWebhookDeliveries: async ({ params: { id: agentId }, query: { status, limit, offset } }) => {
      const { items, total } = await parts.deliveries.page({ agentId, ...(status ? { status } : {}) }, { limit, offset })
      return { deliveries: items.map(deliveryView), total, limit, offset }
    },

    replayWebhookDelivery: async ({ params: { id: agentId, deliveryId } }) => {
      ofAgent(await parts.deliveries.get(deliveryId), agentId)
      await assertRoom(parts, agentId)
      const delivery = await parts.deliveries.change(deliveryId, present => ({ state: replayed(present, parts.clock.now()), events: [] }))
      return { delivery: deliveryView(delivery) }
    },
  }) satisfies Handlers<typeof notificationsApi>
