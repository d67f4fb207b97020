import { chains } from '@carapace/api'
import { operationKey } from '@carapace/chain'
import type { Awaiting } from '@carapace/service'
import type { Parts } from './parts.ts'

/** Batches of scores that are on their way to a network. */
export async function awaits({ scores }: Parts): Promise<Awaiting[]> {
  const found = await scores.findAny(chains.map(chain => ({ [`chains.${chain}.batchId`]: { $gt: '' } })))
  return chains.flatMap(chain => {
    const batches = new Map(found.flatMap(doc => (doc.chains[chain].batchId ? [[doc.chains[chain].batchId, doc.updatedAt] as const] : [])))
    return [...batches].map(([id, since]) => ({ record: `score batch ${id}`, opKey: operationKey('score.sync', chain, id), round: 1, since }))
  })
}
