import { operationParts } from '@carapace/chain'
import type { ExplainClearing } from '@carapace/service'
import type { Parts } from './parts.ts'

/** Jobs with a step under way. */
export const explainClearing: ExplainClearing<Pick<Parts, 'jobs'>> = async ({ jobs }, chain, keys) => {
  const ids = keys.map(key => operationParts(key)[1])
  const underWay = { $or: [{ isWaiting: true }, { 'funding.stage': { $in: ['reserving', 'sent'] } }] }
  const found = await jobs.find({ chain, _id: { $in: ids }, ...underWay })
  const states = new Map(found.map(({ id, status }) => [id, `job ${id} is ${status}, a step is under way`]))
  return new Map(keys.flatMap((key, index) => (states.has(ids[index]!) ? [[key, states.get(ids[index]!)!] as const] : [])))
}
