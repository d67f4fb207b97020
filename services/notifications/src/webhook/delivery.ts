import { refuse, type WebhookDelivery } from '@carapace/api'
import { deliveryStates } from './delivery-states.ts'

export interface Try {
  at: Date
  /** null: there was no answer */
  status: number | null
  error: string | null
}

export interface Delivery {
  /** Goes out as webhook-id with every try. */
  id: string
  agentId: string
  /** null for a test */
  notificationId: string | null
  type: string
  /** As it is signed, in every try. */
  body: string
  status: WebhookDelivery['status']
  tries: Try[]
  /** Tries since it was queued, or replayed. */
  made: number
  /** When its tries began to count. */
  queuedAt: Date
  /** null once nothing is to come. */
  dueAt: Date | null
  /** Wall clock, for the 30 days after which the database removes it. */
  storedAt: Date
}

const [minute, hour] = [60_000, 3_600_000]
/** When each try is due, from the notification on (behaviour 11). */
export const triesAtMs: readonly number[] = [0, 5_000, minute, 10 * minute, hour, 6 * hour, 24 * hour, 48 * hour]
/** So long nobody else tries, also when the process that does has died. */
export const claimMs = 30_000
const shownTries = 50

type Draft = Pick<Delivery, 'id' | 'agentId' | 'notificationId' | 'type' | 'body'>

export const queued = (draft: Draft, now: Date): Delivery => ({
  ...draft,
  status: deliveryStates.initial,
  tries: [],
  made: 0,
  queuedAt: now,
  dueAt: now,
  storedAt: new Date(),
})

/** The claim of one try; undefined: another process has it. */
export const claimed = (delivery: Delivery, now: Date): Delivery | undefined =>
  delivery.dueAt && delivery.dueAt <= now ? { ...delivery, dueAt: new Date(now.getTime() + claimMs) } : undefined

const isAccepted = ({ status }: Try): boolean => status !== null && status >= 200 && status < 300
/** By this answer a receiver says that nothing shall come any more (Standard Webhooks). */
const isUnwanted = ({ status }: Try): boolean => status === 410

/** After a try: delivered, due again, or failed with the last one. */
export function tried(delivery: Delivery, attempt: Try, now: Date): Delivery {
  const made = delivery.made + 1
  const tries = [...delivery.tries, attempt].slice(-shownTries)
  if (isAccepted(attempt)) return { ...delivery, made, tries, status: deliveryStates.move(delivery.status, 'accept'), dueAt: null }
  const nextMs = triesAtMs[made]
  if (nextMs === undefined || isUnwanted(attempt)) return { ...abandoned(delivery), made, tries }
  // a platform that was away tries once where it has missed several times
  const dueAt = new Date(Math.max(delivery.queuedAt.getTime() + nextMs, now.getTime()))
  return { ...delivery, made, tries, dueAt }
}

/** Without a try: its webhook is disabled or deleted. */
export const abandoned = (delivery: Delivery): Delivery => ({ ...delivery, status: deliveryStates.move(delivery.status, 'abandon'), dueAt: null })

/** Without a try, where too many others wait: its agent replays it. */
export const leftOut = (delivery: Delivery): Delivery => ({
  ...abandoned(delivery),
  tries: [{ at: delivery.queuedAt, status: null, error: 'too many deliveries wait for this webhook' }],
})

/** As new, under the same id. @throws INVALID_STATE while it is on its way */
export const replayed = (delivery: Delivery, now: Date): Delivery => ({
  ...delivery,
  status: deliveryStates.move(delivery.status, 'replay'),
  made: 0,
  queuedAt: now,
  dueAt: now,
})

export const ofAgent = (delivery: Delivery | undefined, agentId: string): Delivery =>
  delivery?.agentId === agentId ? delivery : refuse('NOT_FOUND', { resource: 'delivery' })

export const deliveryView = ({ id, type, notificationId, status, tries, dueAt, createdAt }: Delivery & { createdAt: Date }): WebhookDelivery => ({
  id,
  type,
  notificationId,
  status,
  tries: tries.map(({ at, status: answer, error }) => ({ at: at.toISOString(), status: answer, error })),
  nextTryAt: dueAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
})
