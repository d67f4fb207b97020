import { commandOf, operationParts } from '@carapace/chain'
import { type Header, numberOf, receiptsByHash } from '../chain/reader.ts'
import type { LaneParts } from './lane.ts'
import { type OpOutcome, outcomesOf } from './outcome.ts'
import type { Op, OpResult } from './records.ts'

/**
 * What a transaction did that carried the operation and no longer claims it: a reorganisation may have included it after its failure was published.
 * An earlier round may have been a command of another kind with the same effect: a lock from another source.
 */
export async function ofEarlierRound(lane: Pick<LaneParts, 'db' | 'rpc' | 'network'>, op: Pick<Op, '_id'>): Promise<OpResult | undefined> {
  const keys = keysOfEffect(op._id)
  const txs = await lane.db.txs.find({ 'ops.opKey': { $in: keys }, nonce: { $ne: null } }).toArray()
  for (const tx of txs) {
    const [receipt] = await receiptsByHash(
      lane.rpc,
      tx.attempts.map(attempt => attempt.hash),
    )
    if (!receipt) continue
    const outcomes = outcomesOf(tx, receipt, lane.network.addresses.Batcher, { name: 'unknown', args: [] })
    const logs = keys.map(key => logsOf(outcomes.get(key))).find(found => found.length > 0)
    if (!logs) continue
    const header = (await lane.rpc.call('eth_getBlockByHash', [receipt.blockHash, false])) as Header | null
    if (!header) continue
    return {
      txHash: receipt.transactionHash,
      blockNumber: Number(receipt.blockNumber),
      blockHash: receipt.blockHash,
      blockTime: numberOf(header.timestamp),
      logs: lane.network.decodeLogs(logs, receipt.logs[0]) as unknown as Record<string, unknown>[],
      already: true,
    }
  }
  return undefined
}

const logsOf = (outcome: OpOutcome | undefined) => (outcome?.kind === 'done' ? outcome.logs : [])

function keysOfEffect(opKey: string): string[] {
  const [kind] = operationParts(opKey)
  return [opKey, ...(commandOf(kind)?.sameEffect ?? []).map(other => `${other}${opKey.slice(kind.length)}`)]
}
