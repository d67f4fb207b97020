import { isDeepStrictEqual } from 'node:util'
import type { ChainLog } from '@carapace/api'
import { type Header, headerAt, type Receipt, receiptsByHash } from '../chain/reader.ts'
import { removalOf } from '../inbound/announce-logs.ts'
import { looksNeeded } from '../inbound/evidence.ts'
import type { EventRecord } from '../lane/collections.ts'
import type { Lane } from '../lane/lane.ts'

const perPass = 200

/**
 * Looks after contract events that were told as final and whose block a reorganisation took away. One whose transaction was included again
 * with the same log stands as it was told: consumers know it by transaction and position. Taken back is only what the node says three
 * times, with pauses, that it is not there.
 */
export async function lookAtDoubted(lane: Lane): Promise<void> {
  const doubted = await lane.db.events
    .find({ network: lane.network.chain, doubts: { $exists: true } })
    .limit(perPass)
    .toArray()
  if (doubted.length === 0 || lane.contradiction !== undefined) return
  const now = Date.now()
  const due = doubted.filter(({ doubtedAt = 0 }) => Math.abs(now - doubtedAt) >= lane.timings.evidenceMs)
  const receipts = await receiptsByHash(lane.rpc, [...new Set(due.map(record => String(record.data.txHash)))])
  const byHash = new Map(receipts.map(receipt => [receipt.transactionHash, receipt]))
  for (const record of due) {
    const header = await headerAt(lane.rpc, record.blockNumber)
    await follow(lane, record, stateOf(lane, record, header, byHash.get(String(record.data.txHash))), now)
  }
}

type Finding = 'back' | 'moved' | 'gone' | 'unclear'

function stateOf(lane: Lane, { data }: EventRecord, header: Header | undefined, receipt: Receipt | undefined): Finding {
  if (!header) return 'unclear'
  if (header.hash === data.blockHash) return 'back'
  if (!receipt) return 'gone'
  if (receipt.blockHash === data.blockHash) return 'unclear'
  return lane.network.decodeWatched(receipt.logs).some(log => isSame(log, data as unknown as ChainLog)) ? 'moved' : 'gone'
}

/** Events from before positions were told have none: those are the same by what they say. */
const isSame = (log: ChainLog, told: ChainLog): boolean =>
  log.contract === told.contract &&
  log.event === told.event &&
  (told.logPosition === undefined || log.logPosition === told.logPosition) &&
  isDeepStrictEqual(JSON.parse(JSON.stringify(log.args)), JSON.parse(JSON.stringify(told.args)))

async function follow(lane: Lane, { _id, doubts = 0, ...record }: EventRecord, finding: Finding, now: number): Promise<void> {
  const { events } = lane.db
  if (finding === 'unclear') return
  if (finding === 'back') await events.updateOne({ _id }, { $unset: { doubts: '', doubtedAt: '' } })
  else if (finding === 'moved') await events.updateOne({ _id }, { $set: { removed: true }, $unset: { doubts: '', doubtedAt: '' } })
  else if (doubts + 1 < looksNeeded) await events.updateOne({ _id }, { $set: { doubts: doubts + 1, doubtedAt: now } })
  else {
    lane.log.warn({ lane: lane.id, logId: _id, txHash: record.data.txHash }, 'a final event is not on the chain any more: taken back')
    const announced = [removalOf({ _id, ...record })]
    void lane.after.start([], async () => {
      await lane.announce(announced)
      await events.updateOne({ _id }, { $set: { removed: true }, $unset: { doubts: '', doubtedAt: '' } })
    })
  }
}
