import { operationParts } from '@carapace/chain'
import type { ExplainClearing } from '@carapace/service'
import type { Parts } from './parts.ts'

/** Escrows and bond deposits whose command is under way. */
export const explainClearing: ExplainClearing<Pick<Parts, 'escrows' | 'bonds'>> = async ({ escrows, bonds }, chain, keys) => {
  const named = keys.map(key => ({ key, id: operationParts(key)[1] }))
  const ids = named.map(({ id }) => id)
  const [moving, depositing] = await Promise.all([
    escrows.find({ chain, _id: { $in: ids }, status: { $in: ['funding', 'releasing', 'refunding'] } }),
    bonds.find({ chain, 'moves.id': { $in: ids } }),
  ])
  const states = new Map(moving.map(({ id, status }) => [id, `escrow ${id} is ${status}`]))
  for (const { moves } of depositing) for (const { id, type } of moves) if (type === 'DEPOSIT') states.set(id, `bond event ${id} is under way`)
  return new Map(named.flatMap(({ key, id }) => (states.has(id) ? [[key, states.get(id)!] as const] : [])))
}
