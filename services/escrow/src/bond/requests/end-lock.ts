import { type OnChain, retryAfter, sentOnChain } from '@carapace/chain'
import { type Bond, timeout, withLock } from '../bond.ts'
import { type BondDecision, bondDecision } from '../bond-decision.ts'
import { bondLockStates } from '../bond-lock-states.ts'
import { unlockCommand } from '../commands.ts'

/** Ends a lock: immediately when it is on chain, else as soon as it is. Undefined when that was requested before. */
export function endLock(bond: Bond, gigId: string, unlockId: string, isClean = true): BondDecision | undefined {
  const lock = bond.locks.find(held => held.gigId === gigId)
  if (!lock || lock.stage === 'unlocking') return undefined
  if (lock.stage === 'locking') return lock.isOver ? undefined : bondDecision(withLock(bond, gigId, { isOver: true, askAt: null }))
  const change = { stage: bondLockStates.move(lock.stage, 'unlock'), unlockId, unlockOnChain: sentOnChain, isOver: true, isClean, askAt: null }
  return bondDecision(withLock(bond, gigId, change), { events: [unlockCommand(bond, { gigId, unlockId })] })
}

/** An unlock that failed goes out again minutes later, as the next round. */
export function unlockFailed(bond: Bond, gigId: string, unlockOnChain: Required<OnChain>, now: Date): BondDecision {
  return bondDecision(withLock(bond, gigId, { retryAt: retryAfter(unlockOnChain.round, now), unlockOnChain }))
}

/** What time does to the locks of a bond: failed unlocks go out again, a lock of 180 days ends. */
export function onTime(bond: Bond, now: Date, newId: () => string): BondDecision | undefined {
  const retry = bond.locks.find(({ retryAt }) => retryAt !== null && retryAt <= now)
  if (retry) {
    const { gigId, unlockId, unlockOnChain } = retry
    const round = unlockOnChain!.round + 1
    return bondDecision(withLock(bond, gigId, { retryAt: null, unlockOnChain: { ...sentOnChain, round, seq: unlockOnChain!.seq } }), {
      events: [unlockCommand(bond, { gigId, unlockId: unlockId!, round })],
    })
  }
  const old = bond.locks.find(({ stage, at }) => stage === 'locked' && timeout(at) <= now)
  return old && endLock(bond, old.gigId, newId())
}
