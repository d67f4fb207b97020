import { dayMs } from '@carapace/api'
import { type Bond, lastSlashOf, type Move, newMove, slashOf, withMove } from '../bond.ts'
import { type BondDecision, bondDecision } from '../bond-decision.ts'
import { slashCommand } from '../commands.ts'
import { reserveForSlash } from '../stake.ts'
import { endLock } from './end-lock.ts'

const verdictPauseMs = 7 * dayMs

export interface SlashRequest {
  /** Of the row, and of the bond event. */
  slashId: string
  operationId: string
  amount: bigint
  /** Its lock is slashed first. */
  gigId: string | null
  reason: string
  validationId: string | null
  by: Move['by']
  now: Date
}

/** Moves stake into the fee pool: locked parts first, the rest of the free part. */
export function requestSlash(bond: Bond, request: SlashRequest): BondDecision {
  const { slashId, operationId, amount, gigId, reason, validationId, by, now } = request
  const { bond: reduced, reductions } = reserveForSlash(bond, amount, gigId)
  const move = newMove({
    id: slashId,
    slashId,
    type: 'SLASH',
    amount,
    operationId,
    address: bond.wallet,
    taken: reductions,
    gigId,
    reason,
    validationId,
    by,
    at: now,
  })
  return bondDecision(withMove(reduced, move), {
    events: [slashCommand(bond, move)],
  })
}

/** The slash of a verdict: 20 % of the gig's lock, at most one in seven days; then the rest is unlocked. `slashed` is 0 when none is due. */
export function slashAndUnlock(
  bond: Bond,
  request: Omit<SlashRequest, 'amount'> & { gigId: string; unlockId: string },
): { outcome: BondDecision; slashed: bigint } {
  const lock = bond.locks.find(({ gigId }) => gigId === request.gigId)!
  const amount = slashOf(lock.amount)
  const isTooSoon = bond.moves.some(({ by, type }) => by === 'swarm' && type === 'SLASH') || isWithin(lastSlashOf(bond, 'verdict'), request.now)
  const slash = amount > 0n && !isTooSoon ? requestSlash(bond, { ...request, amount }) : undefined
  const unlock = endLock(slash?.state ?? bond, request.gigId, request.unlockId, slash === undefined)!
  return {
    outcome: { ...unlock, events: [...(slash?.events ?? []), ...unlock.events] },
    slashed: slash ? amount : 0n,
  }
}

const isWithin = (last: Date | null, now: Date): boolean => last !== null && now.getTime() - last.getTime() < verdictPauseMs
