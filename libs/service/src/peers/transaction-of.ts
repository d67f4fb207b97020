import { type Chain, chainRelayerApi, type ResponseOf } from '@carapace/api'
import type { Peers } from './peers.ts'

/** With the logs that the relayer decodes. */
export type MinedTransaction = ResponseOf<typeof chainRelayerApi.internal.chainTx>

/**
 * A transaction as the chain has it now; undefined when it is in no block, or the node does not know it any more.
 * @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
export const transactionOf = async (
  { peers }: { peers: Peers },
  { network: chain, txHash: hash }: { network: Chain; txHash: string | null },
): Promise<MinedTransaction | undefined> =>
  hash === null ? undefined : peers.find('chain-relayer', chainRelayerApi.internal.chainTx, { params: { chain, hash } })
