import { headerAt, numberOf } from '../chain/reader.ts'
import type { Lane } from '../lane/lane.ts'
import type { Op, Tx } from '../lane/records.ts'
import { storedArgsOf } from './prepare.ts'

/** Somebody else may have caused the effect meanwhile: it is polled this often. */
const checkMs = 10_000
/** Of a block whose time is past the end of an authorisation, at least. */
export const blockMs = 2_000
/** So many operations are checked in one pass of the planner; the others follow in the next ones. */
const perPass = 20

/** What the checks of one pass share. */
export interface EndChecks {
  left: number
  /** Unix ms of the last final block, read once. @throws RpcUnavailable */
  finalMs(): Promise<number>
}

export function endChecks(lane: Lane, left = perPass): EndChecks {
  let read: Promise<number> | undefined
  const readFinal = async () => {
    const final = await headerAt(lane.rpc, Math.max(0, lane.head.number - lane.network.finality))
    return final ? numberOf(final.timestamp) * 1_000 : 0
  }
  return { left, finalMs: () => (read ??= readFinal()) }
}

/**
 * Milliseconds until a failed operation is sure to have no effect any more, or until that is checked again. A transfer authorisation that was in a
 * block can be submitted by anybody until it expires; only then may the failure be published. 0 for everything else.
 */
export function tokenMovesLater(lane: Lane, op: Op, tx: Tx): number {
  const command = lane.commandOf(op.kind)
  const args = command && storedArgsOf(command, op)
  if (command?.endsAt) return blockMs
  const request = args && command.authorization?.(args)
  if (request?.type !== 'TransferWithAuthorization') return 0
  const now = Math.max(Date.now(), lane.head.time * 1_000)
  return Math.max(0, Math.max(tx.signedAt, lane.head.time * 1_000) + lane.timings.authorizationTtlMs + 2_000 - now)
}

/**
 * The same for an authorisation in the arguments: a transaction has shown it, and no final block is past its end, so that one could still hold it.
 * @throws RpcUnavailable when the node does not answer
 */
export async function includableMs(lane: Lane, op: Op, checks: EndChecks): Promise<number> {
  const command = lane.commandOf(op.kind)
  const args = command?.endsAt && storedArgsOf(command, op)
  if (!args) return 0
  const isPublic = (op.openUntil ?? 0) > 0 || (await lane.db.txs.findOne({ 'ops.opKey': op._id, nonce: { $ne: null } }, { projection: { _id: 1 } }))
  if (!isPublic) return 0
  const endMs = Number(command.endsAt!(args)) * 1_000
  const headMs = lane.head.time * 1_000
  // no final block is past an end that the head is not past
  if (headMs >= endMs && (await checks.finalMs()) >= endMs) return 0
  return Math.min(checkMs, Math.max(blockMs, endMs - headMs))
}
