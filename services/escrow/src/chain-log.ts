import type { ChainLog, chainEvent, PayloadOf } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { type NetworkReader, toChecksum } from '@carapace/chain'
import { type MinedTransaction, type Platform, transactionOf } from '@carapace/service'

/** A contract event as it was published, or as it is published to be dropped with its block. */
export type Log = Omit<PayloadOf<ReturnType<typeof chainEvent>>, 'final'>

/** Where something is on chain. */
export interface Place {
  txHash: string
  blockNumber: number
}

/** Whether we sent the transaction of a log: then the outcome of its command says what it did. @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE */
export const isOfLane = (
  { networks }: { networks: NetworkReader },
  { network }: Pick<Log, 'network'>,
  { from }: MinedTransaction,
): Promise<boolean> => networks.isLane(network, toChecksum(from))

/**
 * What the chain has now in the place of a log whose block is published as dropped: the same event at the same position of its transaction in
 * another block. Announcements may come late, and in any order.
 * @returns none when its transaction is in no block, or shows other events; undefined when the log is final in that very block
 * @throws Retry while the chain shows it in that very block
 */
export async function replacementsOf(parts: Pick<Platform, 'peers'>, log: Log): Promise<readonly ChainLog[] | undefined> {
  const mined = await transactionOf(parts, log)
  if (mined?.blockHash === log.blockHash) {
    if (mined.final) return undefined
    throw new Retry(`${log.logId} is published as dropped, and the chain shows it`)
  }
  const isSame = (shown: ChainLog) => shown.event === log.event && [undefined, shown.logPosition].includes(log.logPosition)
  return mined?.logs.filter(isSame) ?? []
}
