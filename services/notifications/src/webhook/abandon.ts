import type { Job } from '@carapace/service'
import type { DeliveryParts } from './deliver.ts'
import { abandoned } from './delivery.ts'
import type { Webhook } from './webhook.ts'

const [webhooksTogether, deliveriesTogether] = [20, 100]

/** Ends what waits for webhooks that were disabled, page by page. What a process leaves when it dies, the next one ends. */
export function abandonWaiting(parts: DeliveryParts): Job['run'] {
  return async (now, ending) => {
    for (const webhook of await parts.webhooks.find({ failsBefore: { $lte: now } }, { limit: webhooksTogether })) {
      if (ending.aborted) return
      await abandonPage(parts, webhook)
    }
  }
}

async function abandonPage({ webhooks, deliveries }: DeliveryParts, { id: agentId, failsBefore }: Webhook): Promise<void> {
  if (!failsBefore) return
  const isLeft = { agentId, status: 'pending', queuedAt: { $lt: failsBefore } }
  const page = await deliveries.find(isLeft, { limit: deliveriesTogether })
  for (const { id } of page)
    await deliveries.change(id, present =>
      present.status === 'pending' && present.queuedAt < failsBefore ? { state: abandoned(present), events: [] } : undefined,
    )
  if (page.length === deliveriesTogether) return
  // it may have been disabled again meanwhile
  await webhooks.changeKnown(agentId, present =>
    present.failsBefore?.getTime() === failsBefore.getTime() ? { state: { ...present, failsBefore: null }, events: [] } : undefined,
  )
}
