import { type Chain, limits, refuse } from '@carapace/api'
import { perChain } from '@carapace/chain'
import type { Database } from '@carapace/store'
import type { ClientSession } from 'mongoose'

const tvlId = 'tvl'

/** Micro-USDC in all open escrows. */
export interface Locked {
  total: bigint
  chains: Record<Chain, bigint>
}

export interface TvlRow {
  /**
   * Adds to the figures of a network and of both (µ, may be negative) inside the transaction. `capped`: no more than there is room for.
   * @throws TVL_CAP_REACHED
   */
  add(change: bigint, chain: Chain, session: ClientSession, capped: boolean): Promise<void>
  locked(): Promise<Locked>
  /** Makes the row; before anything is served. */
  open(): Promise<void>
}

/** The one row that every lock writes, so that two locks can never pass the cap together. */
export function tvlRow(db: Database): TvlRow {
  const rows = db.collection<Locked & { _id: string }>('control')
  return {
    add: async (change, chain, session, capped) => {
      const room = capped ? { total: { $lte: limits.escrow.tvlMicro - change } } : {}
      const result = await rows.updateOne({ _id: tvlId, ...room }, { $inc: { total: change, [`chains.${chain}`]: change } }, { session })
      if (result.matchedCount === 0) refuse('TVL_CAP_REACHED')
    },
    locked: async () => (await rows.findOne({ _id: tvlId })) ?? nothing,
    open: async () => {
      await rows.updateOne({ _id: tvlId }, { $setOnInsert: nothing }, { upsert: true })
    },
  }
}

const nothing: Locked = { total: 0n, chains: perChain(() => 0n) }
