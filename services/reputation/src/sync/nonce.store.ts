import type { Chain } from '@carapace/api'
import type { Database } from '@carapace/store'

export type Session = Parameters<Parameters<Database['transaction']>[0]>[0]

export interface BatchNonces {
  /** The nonce of a new batch, as part of its transaction: above all that were given for this network, over all replicas. */
  next(chain: Chain, session: Session): Promise<bigint>
}

/**
 * Nonces of the scores on the networks. They rise over all agents, because the adapter counts per wallet and a wallet may pass from one agent to another.
 * The time in ms is part of them, so that they rise also where the database is an older copy; the last one is stored, so that they do where the clock is
 * late.
 */
export function batchNonces(db: Database): BatchNonces {
  const nonces = db.connection.collection<{ _id: string; last: number }>('sync_nonces')
  return {
    next: async (chain, session) => {
      const last = { $max: [{ $add: [{ $ifNull: ['$last', 0] }, 1] }, db.clock.now().getTime()] }
      const given = await nonces.findOneAndUpdate({ _id: chain }, [{ $set: { last } }], { upsert: true, returnDocument: 'after', session })
      return BigInt(Number(given!.last))
    },
  }
}
