import { dueBy, type Job, type Platform, workThrough } from '@carapace/service'
import { type DeliveryParts, deliver } from './deliver.ts'
import { deliveryStore, webhookStore } from './stores.ts'

export const webhookParts = ({ db }: Pick<Platform, 'db'>) => ({ webhooks: webhookStore(db), deliveries: deliveryStore(db) })

const everyMs = 500
/** Under way at the same time in one process: in all, and to one agent, so that a receiver that does not answer holds no other. */
const [most, mostPerAgent] = [50, 2]

export const jobs = (parts: DeliveryParts & Pick<Platform, 'log' | 'clock' | 'config'>): Job[] => [
  {
    name: 'deliveries to webhooks',
    everyMs,
    due: dueBy(parts.deliveries, 'dueAt'),
    run: (_, ending) => {
      const due: Parameters<typeof workThrough>[0]['due'] = async (without, limit) => {
        const found = await parts.deliveries.due(parts.clock.now(), without, limit)
        return found.map(delivery => ({ id: delivery.id, key: delivery.agentId, work: () => deliver(parts, delivery) }))
      }
      return workThrough({ most, mostPerKey: mostPerAgent, due, log: parts.log }, ending)
    },
  },
]
