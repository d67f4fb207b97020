import { hexOf } from '../chain/reader.ts'
import type { Lane } from '../lane/lane.ts'
import type { Prepared } from './prepare.ts'

/**
 * Postpones operations that transfer more native money than the lane has: in a slot they would block all later ones.
 * @returns their keys
 */
export async function postponeUnaffordable(lane: Lane, prepared: readonly Prepared[]): Promise<ReadonlySet<string>> {
  const giving = prepared.filter(one => one.call.value > 0n)
  if (giving.length === 0) return new Set()
  const balance = BigInt(String(await lane.rpc.call('eth_getBalance', [lane.signer.address, 'latest'])))
  let left = lane.slots.open().reduce((sum, slot) => sum - BigInt(slot.tx.value), balance)
  const postponed = new Set<string>()
  for (const { op, call } of giving) {
    if (call.value <= left) {
      left -= call.value
      continue
    }
    if (op.nextAt === 0)
      lane.log.warn({ lane: lane.id, opKey: op._id, balance: hexOf(balance) }, 'the lane cannot afford this transfer: it waits for funds')
    lane.queue.replace({ ...op, nextAt: Date.now() + lane.timings.reconcileMs })
    postponed.add(op._id)
  }
  return postponed
}
