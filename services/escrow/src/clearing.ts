import { stateByKey } from '@carapace/chain'
import type { ExplainClearing } from '@carapace/service'
import type { Parts } from './parts.ts'

/** Escrows and bond deposits whose command is under way. */
export const explainClearing: ExplainClearing<Pick<Parts, 'escrows' | 'bonds'>> = ({ escrows, bonds }, chain, keys) =>
  stateByKey(keys, async ids => {
    const [moving, changing] = await Promise.all([
      escrows.find({ chain, _id: { $in: ids }, status: { $in: ['funding', 'releasing', 'refunding'] } }),
      bonds.find({ chain, 'moves.id': { $in: ids } }),
    ])
    const deposits = changing.flatMap(({ moves }) => moves.filter(({ type }) => type === 'DEPOSIT'))
    return [
      ...moving.map(({ id, status }) => [id, `escrow ${id} is ${status}`] as const),
      ...deposits.map(({ id }) => [id, `bond event ${id} is under way`] as const),
    ]
  })
