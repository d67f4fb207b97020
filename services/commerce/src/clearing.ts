import { stateByKey } from '@carapace/chain'
import type { ExplainClearing } from '@carapace/service'
import type { Parts } from './parts.ts'

/** Jobs with a step under way. */
export const explainClearing: ExplainClearing<Pick<Parts, 'jobs'>> = ({ jobs }, chain, keys) =>
  stateByKey(keys, async ids => {
    const underWay = { $or: [{ isWaiting: true }, { 'funding.stage': { $in: ['reserving', 'sent'] } }] }
    const found = await jobs.find({ chain, _id: { $in: ids }, ...underWay })
    return found.map(({ id, status }) => [id, `job ${id} is ${status}, a step is under way`])
  })
