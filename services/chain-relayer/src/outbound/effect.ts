import { type Command, decodeResult, encodeCall } from '@carapace/chain'
import type { Block } from '../chain/reader.ts'
import { ofEarlierRound } from '../lane/earlier-round.ts'
import type { Lane } from '../lane/lane.ts'
import type { Op, OpResult } from '../lane/records.ts'
import { RpcRefused } from '../rpc/rpc.ts'
import { storedArgsOf } from './prepare.ts'

/**
 * Whether the operation's effect is on chain, by the contract's business key. undefined = the kind has no such key, or the stored arguments
 * are not of its form.
 * @throws RpcUnavailable when the node does not answer
 */
export async function effectIsThere(lane: Lane, op: Op): Promise<boolean | undefined> {
  const command: Command | undefined = lane.commandOf(op.kind)
  const args = command?.effect && storedArgsOf(command, op)
  const check = args && command.effect?.(args)
  if (!check) return undefined
  const { to, data } = encodeCall(check, lane.network.origin, lane.signer.address)
  try {
    const answer = await lane.rpc.call('eth_call', [{ to, data }, 'latest'], lane.timings.readTimeoutMs)
    return check.isOurs(decodeResult(check, String(answer)))
  } catch (error) {
    // A view that reverts (no such token) means that the effect does not exist.
    if (error instanceof RpcRefused) return false
    throw error
  }
}

/**
 * The effect of an operation that no transaction of its round caused: with place and logs when a transaction of an earlier round did,
 * else as of the given block and without logs.
 * @throws RpcUnavailable when the node does not answer
 */
export async function findEffect(lane: Lane, op: Op, seenIn: Block & { txHash: string }): Promise<OpResult | undefined> {
  if (!(await effectIsThere(lane, op))) return undefined
  const { txHash, number, hash, time } = seenIn
  return (await ofEarlierRound(lane, op)) ?? { txHash, blockNumber: number, blockHash: hash, blockTime: time, logs: [], already: true }
}
