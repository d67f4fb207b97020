import { createHash } from 'node:crypto'
import { limits, type Notification } from '@carapace/api'
import { allowsLoopback, OutgoingRefused, type Platform, sendOutgoing } from '@carapace/service'
import { Webhook as Signer } from 'standardwebhooks'
import type { Inbox } from '../inbox.store.ts'
import { abandoned, claimed, type Delivery, leftOut, queued, type Try, tried } from './delivery.ts'
import type { DeliveryStore, WebhookStore } from './stores.ts'
import { disable, isClosedTo, secretsAt, type Webhook, wants } from './webhook.ts'

export interface DeliveryParts extends Pick<Platform, 'clock' | 'config' | 'sealing'> {
  inbox: Inbox
  webhooks: WebhookStore
  deliveries: DeliveryStore
}

/** Queues what an event has put into inboxes. The same event again queues nothing: an id follows from the notification. */
export async function queueNotices(
  { inbox, webhooks, deliveries, clock }: DeliveryParts,
  eventId: string,
  agentIds: readonly string[],
): Promise<void> {
  for (const webhook of await webhooks.of(agentIds)) {
    const notification = await inbox.ofEvent(webhook.id, eventId)
    if (notification && wants(webhook, notification.type)) {
      const { id, agentId, type } = notification
      await deliveries.createOnce(deliveryIdOf(id), async () => {
        const delivery = queued({ id: deliveryIdOf(id), agentId, notificationId: id, type, body: bodyOf(notification) }, clock.now())
        return { state: (await isFull(deliveries, agentId)) ? leftOut(delivery) : delivery, events: [] }
      })
    }
  }
}

/** Whether as many deliveries wait for the receiver of an agent as may: all of them are passed over while others are searched. */
export const isFull = async (deliveries: DeliveryStore, agentId: string): Promise<boolean> =>
  (await deliveries.count({ agentId, status: 'pending' })) >= limits.webhook.waiting

const deliveryIdOf = (notificationId: string): string => `msg_${createHash('sha256').update(notificationId).digest('hex').slice(0, 32)}`

/** The body of Standard Webhooks: type, time, and the notification as the inbox shows it. */
export const bodyOf = (notification: Pick<Notification, 'type' | 'createdAt'> | { type: string; createdAt: string }): string =>
  JSON.stringify({ type: notification.type, timestamp: notification.createdAt, data: notification })

/** Makes the try of a delivery that is due, unless another process does. The webhook is disabled with its last one. */
export async function deliver(parts: DeliveryParts, { id }: Pick<Delivery, 'id'>): Promise<void> {
  const { webhooks, deliveries, clock } = parts
  let isClaimed = false
  const delivery = await deliveries.change(id, present => {
    const claim = claimed(present, clock.now())
    isClaimed = claim !== undefined
    return claim && { state: claim, events: [] }
  })
  if (!isClaimed) return
  const webhook = await webhooks.get(delivery.agentId)
  if (!webhook || isClosedTo(webhook, delivery.queuedAt)) {
    await deliveries.change(id, present => (present.dueAt ? { state: abandoned(present), events: [] } : undefined))
    return
  }
  const attempt = await tryOnce(parts, webhook, delivery)
  let isLast = false
  await deliveries.change(id, present => {
    if (!present.dueAt) return undefined
    const state = tried(present, attempt, clock.now())
    isLast = state.status === 'failed'
    return { state, events: [] }
  })
  // one that was set to another address meanwhile has not failed
  if (isLast) await webhooks.changeKnown(webhook.id, present => (present.url === webhook.url ? disable(present, clock.now()) : undefined))
}

async function tryOnce(parts: DeliveryParts, webhook: Webhook, { id, body }: Delivery): Promise<Try> {
  const at = parts.clock.now()
  // receivers compare the time with their own
  const time = new Date()
  const secrets = secretsAt(webhook, at, parts.sealing)
  if (secrets.length === 0) return { at, status: null, error: 'the secret cannot be opened: rotate it' }
  const signatures = secrets.map(secret => new Signer(secret).sign(id, time, body))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'carapace',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  }
  try {
    const options = { allowsLoopback: allowsLoopback(parts) }
    const { status } = await sendOutgoing(new URL(webhook.url), { method: 'POST', headers, body }, options)
    return { at, status, error: null }
  } catch (error) {
    // what the connection failed with says nothing of what else is there
    return { at, status: null, error: error instanceof OutgoingRefused ? error.message : 'no answer' }
  }
}
