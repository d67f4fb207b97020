import { operationParts } from '@carapace/chain'
import type { ExplainClearing } from '@carapace/service'
import type { Parts } from './parts.ts'

/** Jobs with a step under way, by their id or, where treasury books the refund, by their number on chain. */
export const explainClearing: ExplainClearing<Pick<Parts, 'jobs'>> = async ({ jobs }, chain, keys) => {
  const ids = keys.map(key => operationParts(key)[1])
  const found = await jobs.find({
    chain,
    $and: [
      { $or: [{ _id: { $in: ids } }, { onChainJobId: { $in: ids } }] },
      { $or: [{ isWaiting: true }, { 'funding.stage': { $in: ['reserving', 'sent'] } }] },
    ],
  })
  const states = new Map<string, string>()
  for (const { id, onChainJobId, status } of found)
    for (const name of [id, onChainJobId]) if (name !== null) states.set(name, `job ${id} is ${status}, a step is under way`)
  return new Map(keys.flatMap((key, index) => (states.has(ids[index]!) ? [[key, states.get(ids[index]!)!] as const] : [])))
}
