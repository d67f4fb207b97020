import { gigBondLost } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { assigneeFacts, type BondLock, facts, type Gig } from './gig.ts'
import { runningStatuses } from './gig-states.ts'

const lockOf = ({ bondLocks }: Gig, agentId: string | null): BondLock | undefined => bondLocks.find(lock => lock.agentId === agentId)

/** As the gig shows it: of its assignee. */
export const bondStatusOf = (gig: Gig): 'none' | 'locked' => (lockOf(gig, gig.assigneeId)?.isLocked ? 'locked' : 'none')

/** Records the state of an agent's lock for a gig; undefined when a newer one is known. */
export function showBond(gig: Gig, { agentId, isLocked, version }: BondLock): Gig | undefined {
  const present = lockOf(gig, agentId)
  if (present && version <= present.version) return undefined
  const others = gig.bondLocks.filter(lock => lock !== present)
  return { ...gig, bondLocks: [...others, { agentId, isLocked, version }] }
}

/** The escrow confirmed the lock of the one who is assigned now; its event may be on its way. */
export const withConfirmedLock = (gig: Gig, agentId: string): Gig =>
  gig.bondRequired === 0n || lockOf(gig, agentId) ? gig : showBond(gig, { agentId, isLocked: true, version: 0 })!

/** The lock of the assignee is reversed for good: the gig continues without it, and both parties are notified. */
export function bondLost(gig: Gig, lock: BondLock, now: Date): Decision<Gig> | undefined {
  const state = showBond(gig, lock)
  if (!state) return undefined
  const isLost = runningStatuses.includes(gig.status) && gig.assigneeId === lock.agentId
  const lost = { ...facts(gig), ...assigneeFacts(gig), bondRequired: gig.bondRequired, lostAt: now.toISOString() }
  return { state, events: isLost ? [gigBondLost.of(lost)] : [] }
}
