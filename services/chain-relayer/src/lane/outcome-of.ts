import { receiptsByHash } from '../chain/reader.ts'
import { type Announcement, confirmed, failed, finalized, submitted } from './announce.ts'
import { ofEarlierRound } from './earlier-round.ts'
import type { LaneParts } from './lane.ts'
import { outcomesOf } from './outcome.ts'
import { type ConfirmedOp, type FinalOp, hasFailed, type Op, type OpResult, type Tx } from './records.ts'

/**
 * All events of an operation's outcome, as they were published before. Logs are read from the chain; a node that has pruned them gives none. Those of
 * an effect that was found without its transaction are read again: its receipt may only have been away.
 */
export async function outcomeOf(lane: Pick<LaneParts, 'db' | 'rpc' | 'network'>, op: Op): Promise<Announcement[]> {
  if (hasFailed(op)) return [failed(op, op.error)]
  const tx = await lane.db.txs.findOne({ liveOps: op._id, nonce: { $ne: null } })
  if (op.state === 'QUEUED') {
    const hash = tx?.attempts.at(-1)?.hash
    return hash ? [submitted(op, op.seq + 1, hash)] : []
  }
  const result = await resultOf(lane, op, tx)
  if (op.state === 'CONFIRMED') return [confirmed({ ...op, result })]
  const shown = { ...op, result }
  return [confirmed(shown), finalized(shown)]
}

async function resultOf(lane: Pick<LaneParts, 'db' | 'rpc' | 'network'>, op: ConfirmedOp | FinalOp, tx: Tx | null): Promise<OpResult> {
  const result = op.result.already && op.result.logs.length === 0 ? ((await ofEarlierRound(lane, op)) ?? op.result) : op.result
  if (!tx || result.already) return result
  const [receipt] = await receiptsByHash(
    lane.rpc,
    tx.attempts.map(attempt => attempt.hash),
  )
  const outcome = receipt && outcomesOf(tx, receipt, lane.network.addresses.Batcher, { name: 'unknown', args: [] }).get(op._id)
  const isDone = receipt !== undefined && outcome?.kind === 'done'
  return {
    ...result,
    txHash: receipt?.transactionHash ?? tx.minedHash ?? tx.attempts.at(-1)!.hash,
    logs: isDone ? (lane.network.decodeLogs(outcome.logs, receipt.logs[0]) as unknown as Record<string, unknown>[]) : [],
  }
}
