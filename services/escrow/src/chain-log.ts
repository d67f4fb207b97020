import { type ChainLog, type chainEvent, chainRelayerApi, type PayloadOf, type ResponseOf } from '@carapace/api'
import { Retry } from '@carapace/bus'
import type { Parts } from './parts.ts'

/** A contract event as it was announced, or as it is announced to be gone with its block. */
export type Log = Omit<PayloadOf<ReturnType<typeof chainEvent>>, 'final'>
export type Mined = ResponseOf<typeof chainRelayerApi.internal.chainTx>

/** The transaction of a log as the chain has it now; undefined when it is in no block. @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE */
export const minedOf = ({ peers }: Pick<Parts, 'peers'>, { network, txHash }: Pick<Log, 'network' | 'txHash'>): Promise<Mined | undefined> =>
  peers.find('chain-relayer', chainRelayerApi.internal.chainTx, { params: { chain: network, hash: txHash } })

/**
 * What the chain has now in the place of a log whose block is announced to be gone: the same event at the same position of its transaction in
 * another block. Announcements may come late, and in any order.
 * @returns none when its transaction is in no block, or shows other events; undefined when the log is final in that very block
 * @throws Retry while the chain shows it in that very block
 */
export async function replacementsOf(parts: Pick<Parts, 'peers'>, log: Log): Promise<readonly ChainLog[] | undefined> {
  const mined = await minedOf(parts, log)
  if (mined?.blockHash === log.blockHash) {
    if (mined.final) return undefined
    throw new Retry(`${log.logId} is announced to be gone, and the chain shows it`)
  }
  const isSame = (shown: ChainLog) => shown.event === log.event && [undefined, shown.logPosition].includes(log.logPosition)
  return mined?.logs.filter(isSame) ?? []
}
