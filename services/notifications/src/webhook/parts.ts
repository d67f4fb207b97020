import { dueBy, type Job, type Platform, workThrough } from '@carapace/service'
import { abandonWaiting } from './abandon.ts'
import { type DeliveryParts, deliver } from './deliver.ts'
import { deliveryStore, webhookStore } from './stores.ts'
import { resealed } from './webhook.ts'

export const webhookParts = ({ db }: Pick<Platform, 'db'>) => ({ webhooks: webhookStore(db), deliveries: deliveryStore(db) })

const everyMs = 500
const sealEveryMs = 5_000
const sealedTogether = 100
/** Under way at the same time in one process: in all, and to one agent, so that a receiver that does not answer holds no other. */
const [most, mostPerAgent] = [50, 2]

export const jobs = (parts: DeliveryParts & Pick<Platform, 'log'>): Job[] => [
  { name: 'secrets under the key that seals now', everyMs: sealEveryMs, run: sealing(parts) },
  { name: 'what waits for disabled webhooks', everyMs, due: dueBy(parts.webhooks, 'failsBefore'), run: abandonWaiting(parts) },
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

/** Seals again what an older version or a former key has left, once in each process: it starts again when keys are exchanged. */
function sealing({ webhooks, sealing }: DeliveryParts): Job['run'] {
  let isDone = false
  return async (_, ending) => {
    while (!isDone && !ending.aborted) {
      const others = await webhooks.find({ sealedBy: { $ne: sealing.keyId } }, { limit: sealedTogether })
      for (const { id } of others)
        await webhooks.changeKnown(id, present =>
          present.sealedBy === sealing.keyId ? undefined : { state: resealed(present, sealing), events: [] },
        )
      isDone = others.length === 0
    }
  }
}
