import { Retry } from '@carapace/bus'
import { uuidOfKey } from '@carapace/chain'
import { transactionOf } from '@carapace/service'
import { type Log, replacementsOf } from '../../chain-log.ts'
import type { Parts } from '../../parts.ts'
import type { Bond, BondLock } from '../bond.ts'
import type { BondDecision } from '../bond-decision.ts'
import { bondPlaces, isNamed } from '../bound-contract.ts'
import { changeBond } from '../change-bond.ts'
import { remember } from './apply-bond-outcome.ts'
import { confirmUnlock } from './confirmation.ts'
import { findRow } from './direct-move.ts'
import { reverseOutsideUnlock } from './reversal.ts'

/**
 * After 180 days anybody may unlock: the final log of it ends the lock here too. One of an earlier lock of the gig does not, and what was reversed
 * counts again only in the block that the chain shows.
 */
export async function unlockedOutside(parts: Parts, log: Log): Promise<void> {
  const gigId = uuidOfKey(String(log.args.gigId))
  const agent = gigId ? await parts.agents.byWallet(String(log.args.agent)) : undefined
  const stored = agent && (await parts.bonds.get(agent.id))
  if (!stored?.locks.some(lock => lock.gigId === gigId && lock.stage === 'locked')) return
  const { booked, nextId, isAgain } = await findRow(parts, log)
  if (booked || (isAgain && (await transactionOf(parts, log))?.blockHash !== log.blockHash)) return
  const now = parts.clock.now()
  const places = await bondPlaces(parts, stored)
  await changeBond(parts, stored.id, bond => {
    if (!isNamed(bond, log.address, places)) return undefined
    const lock = bond.locks.find(held => held.gigId === gigId && held.stage === 'locked')
    const lockedIn = lock?.onChain.blockNumber ?? null
    if (!lock || bond.chain !== log.network || lockedIn === null || log.blockNumber <= lockedIn) return undefined
    return unlockedByOthers(bond, lock, { id: nextId, txHash: log.txHash }, now)
  })
}

/** There is no command of ours for it, so its transaction is stored with the lock. */
export const unlockedByOthers = (bond: Bond, lock: BondLock, { id, txHash }: { id: string; txHash: string }, now: Date): BondDecision =>
  remember(confirmUnlock(bond, lock, id, txHash, now), { id, at: now, unlocked: lock, txHash })

/**
 * The chain has dropped the block of such an unlock: the lock is back unless the chain shows the same log in another block.
 * @throws Retry while the chain shows it in that very block, or what was built on the free part has yet to fail
 */
export async function outsideUnlockDropped(parts: Parts, log: Log): Promise<void> {
  const agent = await parts.agents.byWallet(String(log.args.agent))
  const { booked } = agent ? await findRow(parts, log) : {}
  if (!agent || !booked) return
  const shown = await replacementsOf(parts, log)
  if (!shown || shown.some(({ args }) => args.gigId === log.args.gigId && args.agent === log.args.agent)) return
  await changeBond(parts, agent.id, bond => {
    const done = bond.done.find(({ id }) => id === booked.id)
    if (!done || !('unlocked' in done)) return undefined
    const made = reverseOutsideUnlock({ ...bond, done: bond.done.filter(one => one !== done) }, done.unlocked, booked.id, parts.clock.now())
    if (made.state.free < 0n || bond.locks.some(({ gigId }) => gigId === booked.gigId))
      throw new Retry('a reversed unlock waits for what was built on it to fail')
    return made
  })
}
