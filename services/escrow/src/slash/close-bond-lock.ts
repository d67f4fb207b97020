import type { Stored } from '@carapace/store'
import { type BondLock, slashOf } from '../bond/bond.ts'
import { changeBond, lockOf } from '../bond/change-bond.ts'
import { endLock } from '../bond/requests/end-lock.ts'
import { slashAndUnlock } from '../bond/requests/request-slash.ts'
import type { Escrow } from '../escrow/escrow.ts'
import { isSlashed } from '../escrow/judgement.ts'
import type { Parts } from '../parts.ts'
import type { Slash } from './slash.ts'
import { slashStates } from './slash-states.ts'

/** The row of a slash by a verdict; frozen ones are made before it is known whether anything is slashed. */
export function verdictRow(
  escrow: Escrow,
  facts: Pick<Slash, 'id' | 'validationId' | 'amount' | 'reason' | 'status' | 'isPending'> & { agentId: string; scoreBefore: number | null },
): Slash {
  const { id: gigId, gigTitle, amount: gigBudget, chain } = escrow
  return { gigId, gigTitle, gigBudget, chain, by: 'swarm', txHash: null, ...facts }
}

/**
 * What the final decision about a gig means for the assignee's bond lock and for a frozen slash: slashed, or simply unlocked.
 * Safe to call at any time and again; nothing happens before the decision is final and the lock is on chain.
 * @param holderId whose lock is known to be that of the assignee. One that lost its wallet before its assignment was followed has no assignment here:
 * its lock is unlocked, and nothing of it can be slashed
 */
export async function closeBondLock(parts: Parts, gigId: string, holderId?: string): Promise<void> {
  const escrow = await parts.escrows.get(gigId)
  const assigneeId = escrow?.assignment?.assigneeId ?? holderId
  if (!escrow || !assigneeId || !escrow.decision || escrow.decision.outcome === 'hold') return
  const lock = await lockOf(parts, assigneeId, gigId)
  // its confirmation leads here again
  if (lock?.stage === 'locking') return
  if (escrow.assignment && isSlashed(escrow)) await slash(parts, escrow, assigneeId, lock)
  else await spare(parts, escrow)
  // one that is made now leads here again with its confirmation
  if (!lock) return
  const rest = await lockOf(parts, assigneeId, gigId)
  if (rest && rest.stage !== 'unlocking') await changeBond(parts, assigneeId, bond => endLock(bond, gigId, parts.newId()))
}

const isFrozen = ({ status, isPending }: Slash): boolean => status === 'FROZEN' && !isPending
const dropped = ({ status }: Pick<Slash, 'status'>): Pick<Slash, 'status'> => ({ status: slashStates.move(status, 'drop') })

async function spare({ slashes }: Parts, { verdict }: Escrow): Promise<void> {
  const frozen = verdict && (await slashes.ofValidation(verdict.validationId))
  if (frozen?.status === 'FROZEN') await slashes.become(frozen.id, row => (isFrozen(row) ? dropped(row) : undefined))
}

/** Moves 20 % of the lock into the pool. Too soon after the last one, or when the lock was lost meanwhile, a frozen row is dropped. */
async function slash(parts: Parts, escrow: Stored<Escrow>, assigneeId: string, lock: BondLock | undefined): Promise<void> {
  const { slashes, clock, newId } = parts
  const validationId = escrow.verdict!.validationId
  const decided = await slashes.ofValidation(validationId)
  if (decided && decided.status !== 'FROZEN' && !decided.isPending) return
  if (!lock || slashOf(lock.amount) === 0n) {
    if (decided?.status === 'FROZEN' && !decided.isPending) await slashes.become(decided.id, row => (isFrozen(row) ? dropped(row) : undefined))
    return
  }
  if (lock.stage !== 'locked') return
  const reason = escrow.verdict!.note ?? 'Deliverable rejected by the panel'
  const { fusedScore: scoreBefore } = await parts.performances.of(assigneeId)
  const row =
    decided ??
    (await slashes.record(
      verdictRow(escrow, {
        id: newId(),
        agentId: assigneeId,
        validationId,
        amount: slashOf(lock.amount),
        reason,
        status: 'APPLIED',
        isPending: true,
        scoreBefore,
      }),
    ))
  // another delivery may have decided about it meanwhile
  if (decided && !decided.isPending)
    await slashes.become(row.id, present => (isFrozen(present) ? { isPending: true, amount: slashOf(lock.amount) } : undefined))
  const request = {
    slashId: row.id,
    unlockId: newId(),
    operationId: row.id,
    gigId: escrow.id,
    reason,
    validationId,
    by: 'swarm' as const,
    now: clock.now(),
  }
  let slashed = 0n
  await changeBond(parts, assigneeId, bond => {
    // decided again where another change came first
    slashed = 0n
    if (!bond.locks.some(held => held.gigId === escrow.id && held.stage === 'locked') || bond.moves.some(({ id }) => id === row.id)) return undefined
    const done = slashAndUnlock(bond, request)
    slashed = done.slashed
    return done.outcome
  })
  const isUnderWay =
    (await parts.bonds.get(assigneeId))?.moves.some(({ id }) => id === row.id) || (await parts.bondHistory.newest(row.id)) !== undefined
  if (slashed === 0n && !isUnderWay)
    await slashes.become(row.id, present => (present.isPending ? { isPending: false, ...dropped(present) } : undefined))
}
