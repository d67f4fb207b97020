import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import { ensureEscrow } from '../escrow/keep.ts'
import type { Parts } from '../parts.ts'
import { slashOf, withLock } from './bond.ts'
import { changeBond } from './keep.ts'
import { outcome } from './outcome.ts'
import { closeLockOf, lockOf, verdictRow } from './verdict.ts'

/** What other facts mean for bonds: an assignment keeps a lock, a decision ends it, a frozen verdict is written down. */
export const bondEvents = (parts: Parts): Subscription[] => [
  on(api.gigAssigned, async ({ gigId, assigneeId }) => {
    const lock = await lockOf(parts, assigneeId, gigId)
    if (lock?.askAt) await changeBond(parts, assigneeId, bond => outcome(withLock(bond, gigId, { askAt: null })))
  }),
  on(api.escrowDecided, ({ gigId }) => closeLockOf(parts, gigId)),
  // a decision waits for a lock under way; an event of the bond itself is told also when we have stopped in between
  on(api.bondLocked, ({ gigId }) => closeLockOf(parts, gigId)),
  on(api.bondLockFailed, ({ gigId }) => closeLockOf(parts, gigId)),
  on(api.slashFrozen, async ({ gigId, validationId, assigneeId, title, posterId, budget, chain, signals, reason }) => {
    // a weak panel alone freezes nothing that could be slashed; commerce jobs have no bond locks
    if (gigId === null || signals.every(signal => signal === 'weak_panel')) return
    const escrow = await ensureEscrow(parts, { gigId, gigTitle: title, posterId, amount: budget, chain })
    const lock = await lockOf(parts, assigneeId, gigId)
    const amount = lock ? slashOf(lock.amount) : 0n
    // nothing is taken where nothing is locked: no slash, and nothing that counts as one
    if (amount === 0n) return
    const scoreBefore = (await parts.agents.get(assigneeId))?.fusedScore ?? null
    const facts = { id: parts.newId(), agentId: assigneeId, validationId, amount, reason, status: 'FROZEN' as const, isPending: false, scoreBefore }
    await parts.slashes.record(verdictRow(escrow, facts))
    await closeLockOf(parts, gigId)
  }),
  on(api.bondSlashed, async ({ slashId, txHash }) => {
    if (await parts.slashes.get(slashId))
      await parts.slashes.become(slashId, row => (row.isPending ? { isPending: false, status: 'APPLIED', txHash } : undefined))
  }),
  on(api.slashReversed, async ({ slashId }) => {
    await parts.slashes.become(slashId, row => (row.status === 'REVERSED' ? undefined : { isPending: false, status: 'REVERSED' }))
  }),
]
