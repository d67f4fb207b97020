import { operationParts } from '@carapace/chain'
import type { ExplainClearing } from '@carapace/service'
import { isUnderWay } from './domain/domain.store.ts'
import type { Parts } from './parts.ts'

/** Sales of names that are under way. */
export const explainClearing: ExplainClearing<Pick<Parts, 'domains'>> = async ({ domains }, chain, keys) => {
  const ids = keys.map(key => operationParts(key)[1])
  const found = await domains.find({ chain, _id: { $in: ids }, ...isUnderWay })
  const states = new Map(found.map(({ id, fullDomain }) => [id, `an operation on ${fullDomain} is under way`]))
  return new Map(keys.flatMap((key, index) => (states.has(ids[index]!) ? [[key, states.get(ids[index]!)!] as const] : [])))
}
