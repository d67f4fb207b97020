import { refuse, usd } from '@carapace/api'
import { sentOnChain } from '@carapace/chain'
import type { Bond, BondLock } from '../bond.ts'
import { type BondDecision, bondDecision } from '../bond-decision.ts'
import { bondLockStates } from '../bond-lock-states.ts'
import { lockCommand } from '../commands.ts'
import { retryableWhileGrowing } from '../stake.ts'

const assignmentTimeoutMs = 15 * 60_000

/** Locks what a gig requires; once for an agent and a gig. @throws INSUFFICIENT_BOND */
export function requestLock(bond: Bond, { lockId, gigId, amount, now }: { lockId: string; gigId: string; amount: bigint; now: Date }): BondDecision {
  if (amount > bond.free) refuse('INSUFFICIENT_BOND', { required: usd(amount), available: usd(bond.free) }, retryableWhileGrowing(bond))
  const lock: BondLock = {
    gigId,
    amount,
    at: now,
    lockId,
    onChain: sentOnChain,
    unlockId: null,
    unlockOnChain: null,
    stage: bondLockStates.initial,
    retryAt: null,
    askAt: new Date(now.getTime() + assignmentTimeoutMs),
    isOver: false,
    isClean: true,
    isAgain: false,
  }
  return bondDecision({ ...bond, free: bond.free - amount, locks: [...bond.locks, lock] }, { events: [lockCommand(bond, lock)] })
}
