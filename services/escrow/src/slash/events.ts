import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import { slashOf } from '../bond/bond.ts'
import { lockOf } from '../bond/change-bond.ts'
import { ensureEscrow } from '../escrow/change-escrow.ts'
import type { Parts } from '../parts.ts'
import { closeBondLock, verdictRow } from './close-bond-lock.ts'
import { slashStates } from './slash-states.ts'

/** What a verdict and a decision mean for the lock that they end, and the commands of a slash for its public row. */
export const slashEvents = (parts: Parts): Subscription[] => [
  on(api.slashFrozen, async ({ gigId, validationId, assigneeId, title, posterId, budget, chain, signals, reason }) => {
    // a weak panel alone freezes nothing that could be slashed; commerce jobs have no bond locks
    if (gigId === null || signals.every(signal => signal === 'weak_panel')) return
    const escrow = await ensureEscrow(parts, { gigId, gigTitle: title, posterId, amount: budget, chain })
    const lock = await lockOf(parts, assigneeId, gigId)
    const amount = lock ? slashOf(lock.amount) : 0n
    // nothing is slashed where nothing is locked: no slash, and nothing that counts as one
    if (amount === 0n) return
    const { fusedScore: scoreBefore } = await parts.performances.of(assigneeId)
    const facts = { id: parts.newId(), agentId: assigneeId, validationId, amount, reason, status: 'FROZEN' as const, isPending: false, scoreBefore }
    await parts.slashes.record(verdictRow(escrow, facts))
    await closeBondLock(parts, gigId)
  }),
  on(api.escrowDecided, ({ gigId }) => closeBondLock(parts, gigId)),
  // a decision waits for a lock under way; an event of the bond itself is published also when we have stopped in between
  on(api.bondLocked, ({ gigId }) => closeBondLock(parts, gigId)),
  on(api.bondLockFailed, ({ gigId }) => closeBondLock(parts, gigId)),
  on(api.bondSlashed, async ({ slashId, agentId, txHash }) => {
    if (!(await parts.slashes.get(slashId))) return
    const isReversed = (await parts.bonds.get(agentId))?.reversed.includes(slashId)
    await parts.slashes.become(slashId, ({ status, isPending }) => {
      if (status === 'REVERSED') return isReversed ? undefined : { status: slashStates.move(status, 'restore') }
      return isPending || status === 'DROPPED' ? { isPending: false, status: slashStates.move(status, 'apply'), txHash } : undefined
    })
  }),
  on(api.slashReversed, async ({ slashId, agentId }) => {
    // its payment may have failed since
    if (!(await parts.bonds.get(agentId))?.reversed.includes(slashId)) return
    await parts.slashes.become(slashId, row =>
      row.status === 'REVERSED' ? undefined : { isPending: false, status: slashStates.move(row.status, 'reverse') },
    )
  }),
]
