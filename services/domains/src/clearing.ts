import { stateByKey } from '@carapace/chain'
import type { ExplainClearing } from '@carapace/service'
import { isUnderWay } from './domain/domain.store.ts'
import type { Parts } from './parts.ts'

/** Sales of names that are under way. */
export const explainClearing: ExplainClearing<Pick<Parts, 'domains'>> = ({ domains }, chain, keys) =>
  stateByKey(keys, async ids => {
    const found = await domains.find({ chain, _id: { $in: ids }, ...isUnderWay })
    return found.map(({ id, fullDomain }) => [id, `an operation on ${fullDomain} is under way`])
  })
