import { operationKey } from '@carapace/chain'
import type { Awaiting } from '@carapace/service'
import { steps } from './job/job.ts'
import type { Parts } from './parts.ts'

/** Jobs with a step that ends with the outcome of its command. */
export async function awaits({ jobs }: Parts): Promise<Awaiting[]> {
  const waiting = await jobs.find({ isWaiting: true })
  return waiting.flatMap(({ id, on, updatedAt }) =>
    steps.flatMap(step => {
      const state = on[step]?.onChain
      if (state?.status !== 'pending') return []
      return [{ record: `job ${id}, step ${step}`, opKey: operationKey(`job.${step}`, id), round: state.round, since: updatedAt }]
    }),
  )
}
