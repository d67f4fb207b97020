import { chains } from '@carapace/api'
import { operationKey } from '@carapace/chain'
import type { Awaiting } from '@carapace/service'
import type { Parts } from './parts.ts'

/** Batches of scores that are on their way to a network. */
export async function awaits({ scores }: Parts): Promise<Awaiting[]> {
  const found = await Promise.all(
    chains.map(async chain => {
      const docs = await scores.find({ [`chains.${chain}.batchId`]: { $gt: '' } })
      const batches = new Map(docs.map(doc => [doc.chains[chain].batchId!, doc.updatedAt]))
      return [...batches].map(([id, since]) => ({ record: `score batch ${id}`, opKey: operationKey('score.sync', chain, id), round: 1, since }))
    }),
  )
  return found.flat()
}
