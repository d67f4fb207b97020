import { isDeepStrictEqual } from 'node:util'
import type { ChainLog } from '@carapace/api'
import { type Header, headerAt, type Receipt, receiptsByHash } from '../chain/reader.ts'
import { removalOf } from '../inbound/announce-logs.ts'
import { pollsNeeded } from '../inbound/evidence.ts'
import type { EventRecord } from '../lane/collections.ts'
import type { Lane } from '../lane/lane.ts'

const perPass = 200

/**
 * Checks contract events that were published as final and whose block a reorganisation dropped. One whose transaction was reincluded with the
 * same log remains valid: consumers know it by transaction and position. An event is withdrawn only after three polls, with pauses, in which
 * the node did not have it.
 * @returns whether there are any
 */
export async function checkDoubtedLogs(lane: Lane): Promise<boolean> {
  const doubted = await lane.db.events
    .find({ network: lane.network.chain, doubts: { $exists: true } })
    .limit(perPass)
    .toArray()
  if (doubted.length === 0 || lane.contradiction !== undefined) return doubted.length > 0
  const now = Date.now()
  const due = doubted.filter(({ doubtedAt = 0 }) => Math.abs(now - doubtedAt) >= lane.timings.evidenceMs)
  const receipts = await receiptsByHash(lane.rpc, [...new Set(due.map(record => String(record.data.txHash)))])
  const byHash = new Map(receipts.map(receipt => [receipt.transactionHash, receipt]))
  for (const record of due) {
    const header = await headerAt(lane.rpc, record.blockNumber)
    await follow(lane, record, stateOf(lane, record, header, byHash.get(String(record.data.txHash))), now)
  }
  return true
}

type Finding = 'back' | 'reincluded' | 'lost' | 'unclear'

function stateOf(lane: Lane, { data }: EventRecord, header: Header | undefined, receipt: Receipt | undefined): Finding {
  if (!header) return 'unclear'
  if (header.hash === data.blockHash) return 'back'
  if (!receipt) return 'lost'
  if (receipt.blockHash === data.blockHash) return 'unclear'
  return lane.network.decodeWatched(receipt.logs).some(log => isSame(log, data as unknown as ChainLog)) ? 'reincluded' : 'lost'
}

/** Old events have no position: those are compared by their content. */
const isSame = (log: ChainLog, announced: ChainLog): boolean =>
  log.contract === announced.contract &&
  log.event === announced.event &&
  (announced.logPosition === undefined || log.logPosition === announced.logPosition) &&
  isDeepStrictEqual(JSON.parse(JSON.stringify(log.args)), JSON.parse(JSON.stringify(announced.args)))

async function follow(lane: Lane, { _id, doubts = 0, ...record }: EventRecord, finding: Finding, now: number): Promise<void> {
  const { events } = lane.db
  if (finding === 'unclear') return
  if (finding === 'back') await events.updateOne({ _id }, { $unset: { doubts: '', doubtedAt: '' } })
  else if (finding === 'reincluded') await events.updateOne({ _id }, { $set: { removed: true }, $unset: { doubts: '', doubtedAt: '' } })
  else if (doubts + 1 < pollsNeeded) await events.updateOne({ _id }, { $set: { doubts: doubts + 1, doubtedAt: now } })
  else {
    lane.log.warn({ lane: lane.id, logId: _id, txHash: record.data.txHash }, 'a final event is not on the chain any more: withdrawn')
    const announced = [removalOf({ _id, ...record })]
    void lane.after.start([], async () => {
      await lane.announce(announced)
      await events.updateOne({ _id }, { $set: { removed: true, removedAt: Date.now() }, $unset: { doubts: '', doubtedAt: '' } })
    })
  }
}
