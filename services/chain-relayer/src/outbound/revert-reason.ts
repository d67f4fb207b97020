import { decodeRevert, type Revert } from '@carapace/chain'
import type { Lane } from '../lane/lane.ts'
import type { Tx } from '../lane/records.ts'
import { type RpcFault, RpcRefused } from '../rpc/rpc.ts'
import { calldataOf } from './send/transaction.ts'

/** The revert data in a node's refusal of eth_call, wherever that client puts it. */
export function revertData(fault: RpcFault): string | undefined {
  const { data } = fault
  if (typeof data === 'string') return /^0x[0-9a-f]*$/i.exec(data)?.[0]
  if (typeof data === 'object' && data !== null && 'data' in data && typeof data.data === 'string') return data.data
  return undefined
}

/** Why a mined transaction failed: the same call again on its block's state. `unknown` when that gives no reason. */
export async function revertReason(lane: Lane, tx: Tx, blockNumber: number): Promise<Revert> {
  const call = {
    from: lane.signer.address,
    to: tx.to,
    data: calldataOf(tx),
    value: `0x${BigInt(tx.value).toString(16)}`,
    gas: `0x${tx.gasLimit.toString(16)}`,
  }
  for (const tag of [`0x${(blockNumber - 1).toString(16)}`, `0x${blockNumber.toString(16)}`]) {
    try {
      await lane.rpc.call('eth_call', [call, tag], lane.timings.readTimeoutMs)
    } catch (error) {
      if (error instanceof RpcRefused) {
        const data = revertData(error.fault)
        if (data && data !== '0x') return decodeRevert(data)
      } else throw error
    }
  }
  return { name: 'unknown', args: [] }
}
