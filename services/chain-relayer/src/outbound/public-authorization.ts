import type { Lane } from '../lane/lane.ts'
import type { OpRecord, TxRecord } from '../lane/records.ts'
import { argsOf } from './prepare.ts'

/**
 * Milliseconds until a failed operation is sure to have no effect any more. A transfer authorisation that was in a block can be
 * submitted by anybody until it expires; only then may the failure be published. 0 for everything else.
 */
export function tokenMovesLater(lane: Lane, op: OpRecord, tx: TxRecord): number {
  const command = lane.commandOf(op.kind)
  const request = command?.authorization?.(argsOf(command, op))
  if (request?.type !== 'TransferWithAuthorization') return 0
  const now = Math.max(Date.now(), lane.head.time * 1_000)
  return Math.max(0, Math.max(tx.signedAt, lane.head.time * 1_000) + lane.timings.authorizationTtlMs + 2_000 - now)
}
