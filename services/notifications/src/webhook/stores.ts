import { type AggregateStore, aggregateStore, type Database, type Indexes } from '@carapace/store'
import type { Delivery } from './delivery.ts'
import type { Webhook } from './webhook.ts'

export interface WebhookStore extends AggregateStore<Webhook> {
  /** The webhooks of some agents. Costs nothing where nobody has one. */
  of(agentIds: readonly string[]): Promise<Webhook[]>
}

/** What another process has set counts after so long at the latest. */
const sharedMs = 1_000

export function webhookStore(db: Database): WebhookStore {
  const indexes: Indexes = { fails_before: { key: { failsBefore: 1 }, partialFilterExpression: { failsBefore: { $type: 'date' } } } }
  const store = aggregateStore<Webhook>(db, { collection: 'webhooks', resource: 'webhook', indexes })
  let webhooks: 'some' | 'none' | undefined
  let knownUntil = 0
  db.changes.on('saved', collection => {
    if (collection === 'webhooks') webhooks = 'some'
  })
  const nobodyHasOne = async (): Promise<boolean> => {
    const isOld = webhooks === 'none' && !db.exclusive && performance.now() >= knownUntil
    if (webhooks === undefined || isOld) {
      knownUntil = performance.now() + sharedMs
      const isFound = (await store.find({}, { limit: 1 })).length > 0
      // one that was saved meanwhile counts
      if (isFound) webhooks = 'some'
      else webhooks ??= 'none'
    }
    return webhooks === 'none'
  }
  return {
    ...store,
    of: async agentIds => (agentIds.length === 0 || (await nobodyHasOne()) ? [] : [...(await store.many(agentIds)).values()]),
  }
}

export interface DeliveryStore extends AggregateStore<Delivery> {
  /** What is due, of none of these agents and none of these deliveries. */
  due(now: Date, without: { keys: readonly string[]; ids: readonly string[] }, limit: number): Promise<Delivery[]>
}

const retentionSeconds = 30 * 86_400

const indexes: Indexes = {
  agent_newest: { key: { agentId: 1, createdAt: -1, _id: -1 } },
  agent_status_newest: { key: { agentId: 1, status: 1, createdAt: -1, _id: -1 } },
  due_agent: { key: { dueAt: 1, agentId: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
  expired: { key: { storedAt: 1 }, expireAfterSeconds: retentionSeconds },
}

export function deliveryStore(db: Database): DeliveryStore {
  const store = aggregateStore<Delivery>(db, { collection: 'deliveries', resource: 'delivery', indexes })
  return {
    ...store,
    due: (now, { keys, ids }, limit) => {
      const others = { ...(keys.length > 0 ? { agentId: { $nin: [...keys] } } : {}), ...(ids.length > 0 ? { _id: { $nin: [...ids] } } : {}) }
      return store.find({ dueAt: { $lte: now }, ...others }, { sort: { dueAt: 1 }, limit })
    },
  }
}
