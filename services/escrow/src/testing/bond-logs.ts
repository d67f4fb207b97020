import { type ChainLog, chainEvent, chainEventRemoved } from '@carapace/api'
import type { Harness } from './harness.ts'

/** A log of a Bond in a block; `from` sent its transaction. */
export interface SeenLog {
  log: ChainLog & { event: 'BondDeposited' | 'BondWithdrawn' | 'BondUnlocked' }
  from: string
  txHash: string
  blockHash: string
  blockNumber: number
}

/** What the chain and the relayer show of what others do on the contract, in a harness that has started by then. */
export function bondLogsIn(harness: Harness) {
  const announced = ({ log, from: _, ...place }: SeenLog) => {
    const logId = `BASE_SEPOLIA:${place.blockHash}:${log.logIndex}`
    return { logId, network: 'BASE_SEPOLIA' as const, ...log, ...place, blockTime: 1 }
  }
  const drop = ({ txHash }: SeenLog) => harness.transactions.delete(txHash)
  const announceFinal = (seen: SeenLog) => harness.platform.publish(chainEvent('Bond', seen.log.event).of({ ...announced(seen), final: true }))
  const announceDropped = (seen: SeenLog) => harness.platform.publish(chainEventRemoved.of(announced(seen)))
  const include = async (seen: SeenLog) => {
    const { log, from, txHash, blockHash } = seen
    harness.transactions.set(txHash, { from, logs: [log], final: true, blockHash })
    await announceFinal(seen)
  }
  return { drop, announceFinal, announceDropped, include }
}
