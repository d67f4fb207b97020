import type { Chain, NextDeadline } from '@carapace/api'
import { pollDeadline } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { type Bond, reservingMs } from './bond.ts'
import { isBalancing } from './bond-event.store.ts'
import type { BondEvent } from './bond-event.ts'
import { eventView } from './views.ts'

type Event = BondEvent & { createdAt: Date }

/** What became of a command on a bond; undefined when the agent has none of this id. */
export async function eventOutcome(parts: Parts, agentId: string, id: string) {
  const bond = await parts.bondNow(agentId)
  if (!bond) return undefined
  const pending = pendingEvent(bond, id)
  if (pending) return { ...answer(bond.chain, pending, 'pending'), nextDeadline: deadlineOf(bond, id, parts.clock.now()) }
  const [newest, first, failed] = await Promise.all([parts.bondHistory.newest(id), parts.bondHistory.get(id), parts.bondFailures.get(id)])
  if (newest?.agentId === agentId)
    return isBalancing(newest) ? answer(bond.chain, first ?? newest, 'failed', 'REORGED') : answer(bond.chain, newest, 'confirmed')
  if (failed?.agentId === agentId) return answer(bond.chain, { ...failed, txHash: null, operationId: null }, 'failed', failed.code)
  return undefined
}

/** A command under way, as the event that it will be. */
function pendingEvent(bond: Bond, id: string): Event | undefined {
  const move = bond.moves.find(one => one.id === id)
  if (move) return { ...move, agentId: bond.id, eventType: move.type, txHash: null, createdAt: move.at }
  const lock = bond.locks.find(({ lockId, unlockId, stage }) => (lockId === id && stage === 'locking') || (unlockId === id && stage === 'unlocking'))
  if (!lock) return undefined
  const { gigId, amount, at } = lock
  const eventType = lock.lockId === id ? ('LOCK' as const) : ('UNLOCK' as const)
  return { id, agentId: bond.id, eventType, amount, gigId, reason: null, txHash: null, operationId: null, createdAt: at }
}

/** What time alone does next: treasury or the relayer is queried again, or an unlock that failed is sent again. */
function deadlineOf({ moves, locks, updatedAt }: Stored<Bond>, id: string, now: Date): NextDeadline {
  const move = moves.find(one => one.id === id)
  if (move?.stage === 'reserving') return retryAt(new Date(Math.max(now.getTime(), updatedAt.getTime() + reservingMs)))
  if (move) return pollDeadline(move.at, now)
  const lock = locks.find(({ lockId, unlockId }) => lockId === id || unlockId === id)!
  if (lock.stage === 'locking') return pollDeadline(lock.at, now)
  return lock.retryAt ? retryAt(lock.retryAt) : pollDeadline(updatedAt, now)
}

const retryAt = (at: Date) => ({ at: at.toISOString(), action: 'retry' })

const answer = (chain: Chain, event: Event, status: 'pending' | 'confirmed' | 'failed', error: string | null = null) => ({
  event: eventView(event),
  txHash: event.txHash,
  onChain: { status, chain, txHash: event.txHash, blockNumber: null, error },
  nextDeadline: null,
})
