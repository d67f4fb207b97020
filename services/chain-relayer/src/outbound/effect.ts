import { type Command, decodeResult, encodeCall } from '@carapace/chain'
import type { Lane } from '../lane/lane.ts'
import type { OpRecord } from '../lane/records.ts'
import { RpcRefused } from '../rpc/rpc.ts'
import { argsOf } from './prepare.ts'

/**
 * Whether the operation's effect is on chain, by the contract's business key. undefined = the kind has no such key.
 * @throws RpcUnavailable when the node does not answer
 */
export async function effectIsThere(lane: Lane, op: OpRecord): Promise<boolean | undefined> {
  const command: Command | undefined = lane.commandOf(op.kind)
  const check = command?.effect?.(argsOf(command, op))
  if (!check) return undefined
  const { to, data } = encodeCall(check, lane.network.addresses, lane.signer.address)
  try {
    const answer = await lane.rpc.call('eth_call', [{ to, data }, 'latest'], lane.timings.readTimeoutMs)
    return check.isOurs(decodeResult(check, String(answer)))
  } catch (error) {
    // A view that reverts (no such token) means that the effect does not exist.
    if (error instanceof RpcRefused) return false
    throw error
  }
}
