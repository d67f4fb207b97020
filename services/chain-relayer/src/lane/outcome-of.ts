import { receiptsByHash } from '../chain/reader.ts'
import { type Announcement, confirmed, failed, finalized, submitted } from './announce.ts'
import type { LaneParts } from './lane.ts'
import { outcomesOf } from './outcome.ts'
import { type OpRecord, terminalFailures } from './records.ts'

/** All events of an operation's outcome, as they were published before. Logs are read from the chain; a node that has pruned them gives none. */
export async function outcomeOf(lane: Pick<LaneParts, 'db' | 'rpc' | 'network'>, op: OpRecord): Promise<Announcement[]> {
  if (op.error && terminalFailures.includes(op.state)) return [failed(op, op.error)]
  const tx = await lane.db.txs.findOne({ liveOps: op._id, nonce: { $ne: null } })
  if (op.state === 'QUEUED') {
    const hash = tx?.attempts.at(-1)?.hash
    return hash ? [submitted(op, op.seq + 1, hash)] : []
  }
  if (!op.result) return []
  if (tx && !op.result.already) {
    const [receipt] = await receiptsByHash(
      lane.rpc,
      tx.attempts.map(attempt => attempt.hash),
    )
    const outcome = receipt && outcomesOf(tx, receipt, lane.network.addresses.Batcher, { name: 'unknown', args: [] }).get(op._id)
    op.result.txHash = receipt?.transactionHash ?? tx.minedHash ?? tx.attempts.at(-1)!.hash
    op.result.logs =
      receipt && outcome?.kind === 'done' ? (lane.network.decodeLogs(outcome.logs, receipt.logs[0]) as unknown as Record<string, unknown>[]) : []
  }
  return op.state === 'FINAL' ? [confirmed(op), finalized(op)] : [confirmed(op)]
}
