import type { Awaiting } from '@carapace/service'
import type { Parts } from './parts.ts'

/** Held reservations end with the outcome of their command; that of a payment that waits in the queue has none yet. */
export async function awaits({ reservations, payments }: Parts): Promise<Awaiting[]> {
  const [held, queued] = await Promise.all([reservations.find({ status: 'held' }), payments.find({ status: 'pending' })])
  const waiting = new Set(queued.map(({ id }) => id))
  return held
    .filter(({ id }) => !waiting.has(id))
    .map(({ id, key, round, updatedAt }) => ({ record: `reservation ${id}`, opKey: key, round, since: updatedAt }))
}
