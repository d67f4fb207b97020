import { setTimeout as sleep } from 'node:timers/promises'
import type { System } from '@carapace/testing'
import type { ChainUnderTest } from './chains.ts'

const everyMs = 100
const patienceMs = 120_000

/**
 * How long the lane is still stopped by a fault that has just ended: until the chain has a transaction of it that it had not sent before. A registration
 * gives it something to send.
 * @returns seconds; Infinity when there is none within two minutes
 */
export async function laneRecovery(system: System, { chain, rpc, lane }: ChainUnderTest): Promise<number> {
  const start = performance.now()
  const count = async (block: 'pending' | 'latest') => Number(await rpc('eth_getTransactionCount', [lane, block]))
  const sentBefore = await count('pending')
  // what becomes of it is the round's matter
  system.newPlayer({ chain, prefix: 'late' }).catch(() => undefined)
  while ((await count('latest')) <= sentBefore) {
    if (performance.now() - start > patienceMs) return Number.POSITIVE_INFINITY
    await sleep(everyMs)
  }
  return (performance.now() - start) / 1000
}
