import type { Chain } from '@carapace/api'
import type { Parts } from '../parts.ts'
import type { Bond } from './bond.ts'
import type { BondEvent } from './bond-change.ts'
import { isBalancing } from './bond-event.store.ts'
import { eventView } from './views.ts'

type Event = BondEvent & { createdAt: Date }

/** What became of a command on a bond; undefined when the agent has none of this id. */
export async function eventOutcome(parts: Parts, agentId: string, id: string) {
  const bond = await parts.bondNow(agentId)
  if (!bond) return undefined
  const pending = pendingEvent(bond, id)
  if (pending) return answer(bond.chain, pending, 'pending')
  const [newest, first, failed] = await Promise.all([parts.bondHistory.newest(id), parts.bondHistory.get(id), parts.bondFailures.get(id)])
  if (newest?.agentId === agentId)
    return isBalancing(newest) ? answer(bond.chain, first ?? newest, 'failed', 'REORGED') : answer(bond.chain, newest, 'confirmed')
  if (failed?.agentId === agentId) return answer(bond.chain, { ...failed, txHash: null, operationId: null }, 'failed', failed.code)
  return undefined
}

/** A command under way, as the event that it will be. */
function pendingEvent(bond: Bond, id: string): Event | undefined {
  const move = bond.moves.find(known => known.id === id)
  if (move) return { ...move, agentId: bond.id, eventType: move.type, txHash: null, createdAt: move.at }
  const lock = bond.locks.find(({ lockId, unlockId, stage }) => (lockId === id && stage === 'locking') || (unlockId === id && stage === 'unlocking'))
  if (!lock) return undefined
  const { gigId, amount, at } = lock
  const eventType = lock.lockId === id ? ('LOCK' as const) : ('UNLOCK' as const)
  return { id, agentId: bond.id, eventType, amount, gigId, reason: null, txHash: null, operationId: null, createdAt: at }
}

const answer = (chain: Chain, event: Event, status: 'pending' | 'confirmed' | 'failed', error: string | null = null) => ({
  event: eventView(event),
  txHash: event.txHash,
  onChain: { status, chain, txHash: event.txHash, blockNumber: null, error },
})
