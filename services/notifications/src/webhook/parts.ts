import { dueBy, eachDue, type Job, type Platform } from '@carapace/service'
import { type DeliveryParts, deliver } from './deliver.ts'
import { deliveryStore, webhookStore } from './stores.ts'

export const webhookParts = ({ db }: Pick<Platform, 'db'>) => ({ webhooks: webhookStore(db), deliveries: deliveryStore(db) })

const everyMs = 500
const batch = 50

/** A slow receiver delays the others of its batch by the time of one request at most. */
export const jobs = (parts: DeliveryParts & Pick<Platform, 'log' | 'clock' | 'config'>): Job[] => [
  {
    name: 'deliveries to webhooks',
    everyMs,
    due: dueBy(parts.deliveries, 'dueAt'),
    run: async now => {
      const due = await parts.deliveries.due(now, batch)
      await Promise.all(due.map(delivery => eachDue(parts.log, [delivery], one => deliver(parts, one))))
    },
  },
]
