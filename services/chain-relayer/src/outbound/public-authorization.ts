import { headerAt, numberOf } from '../chain/reader.ts'
import type { Lane } from '../lane/lane.ts'
import type { Op, Tx } from '../lane/records.ts'
import { argsOf, storedArgsOf } from './prepare.ts'

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

/** Its calldata has a transfer authorisation: of its arguments, or signed by the relayer. What only the payee may submit does not count. */
export function anyoneMaySubmit(lane: Pick<Lane, 'commandOf'>, op: Pick<Op, 'kind' | 'args'>): boolean {
  const command = lane.commandOf(op.kind)
  const args = command && storedArgsOf(command, op)
  if (!args) return false
  return command.endsAt !== undefined || command.authorization?.(args)?.type === 'TransferWithAuthorization'
}

/**
 * Milliseconds until it is checked again whether an operation is sure to have no effect any more: a transaction has shown its authorisation, and no final
 * block is past its end, so that one could still hold it. 0 for everything else.
 * @throws RpcUnavailable when the node does not answer
 */
export async function includableMs(lane: Lane, op: Op, checks: EndChecks): Promise<number> {
  const endMs = anyoneMaySubmit(lane, op) ? await shownUntil(lane, op) : undefined
  if (endMs === undefined) return 0
  const headMs = lane.head.time * 1_000
  // no final block is past an end that the head is not past
  if (headMs >= endMs && (await checks.finalMs()) >= endMs) return 0
  return Math.min(checkMs, Math.max(blockMs, endMs - headMs))
}

/** Unix ms, by the time of blocks, at which the last authorisation ends that a transaction has shown; undefined: none has. */
async function shownUntil(lane: Lane, op: Op): Promise<number | undefined> {
  const command = lane.commandOf(op.kind)!
  const carriers = { 'ops.opKey': op._id, nonce: { $ne: null } }
  if (command.endsAt) {
    const isShown = (op.openUntil ?? 0) > 0 || (await lane.db.txs.findOne(carriers, { projection: { _id: 1 } }))
    return isShown ? Number(command.endsAt(argsOf(command, op))) * 1_000 : undefined
  }
  const txs = await lane.db.txs.find(carriers, { projection: { ops: 1, signedAt: 1 } }).toArray()
  if (txs.length === 0) return undefined
  return Math.max(...txs.map(tx => endOfShown(lane, op, tx)))
}

function endOfShown(lane: Lane, { _id }: Op, { ops, signedAt }: Pick<Tx, 'ops' | 'signedAt'>): number {
  const { validBefore } = ops.find(({ opKey }) => opKey === _id)!
  // old records do not have it
  return validBefore === undefined ? signedAt + lane.timings.authorizationTtlMs + 2_000 : validBefore * 1_000
}
