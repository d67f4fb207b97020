import { chainEvent, chainEventRemoved, type PublishedOutcome } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { operationParts } from '@carapace/chain'
import { on, onlyPolled, onOutcomes, type Subscription } from '@carapace/service'
import type { Parts } from '../../parts.ts'
import type { Bond } from '../bond.ts'
import { changeBond } from '../change-bond.ts'
import { applyBondOutcome, type BondOutcome } from './apply-bond-outcome.ts'
import { directMove, directMoveDropped } from './direct-move.ts'
import { outsideUnlockDropped, unlockedOutside } from './outside-unlock.ts'

export const bondChain = (parts: Parts): Subscription[] => [
  ...commandOutcomes(parts),
  on(chainEvent('Bond', 'BondDeposited'), async log => (log.final ? directMove(parts, log) : undefined)),
  on(chainEvent('Bond', 'BondWithdrawn'), async log => (log.final ? directMove(parts, log) : undefined)),
  on(chainEvent('Bond', 'BondUnlocked'), async log => (log.final ? unlockedOutside(parts, log) : undefined)),
  on(chainEventRemoved, async log => {
    if (log.contract !== 'Bond') return
    await (log.event === 'BondUnlocked' ? outsideUnlockDropped(parts, log) : directMoveDropped(parts, log))
  }),
]

function commandOutcomes(parts: Parts): Subscription[] {
  const follow = (outcome: PublishedOutcome<'confirmed' | 'failed'>) => followBondOutcome(parts, outcome)
  const each = { confirmed: follow, failed: follow, reorged: onlyPolled }
  return onOutcomes({ 'bond.deposit': each, 'bond.withdraw': each, 'bond.lock': each, 'bond.unlock': each })
}

/**
 * Changes the bond that waits for this outcome. Resolves to the bond before and after it; undefined when none waits.
 * @throws Retry while something has yet to fail that was built on stake which is lost
 */
export async function followBondOutcome(
  parts: Parts,
  published: PublishedOutcome<'confirmed' | 'failed'>,
): Promise<{ before: Bond; after: Bond } | undefined> {
  const outcome: BondOutcome = { ...published, id: operationParts(published.opKey)[1] }
  const waiting = await parts.bonds.waitingFor(outcome.id)
  if (!waiting) return undefined
  let before: Bond | undefined
  const after = await changeBond(parts, waiting.id, bond => {
    before = bond
    const made = applyBondOutcome(bond, outcome, parts.clock.now(), parts.newId)
    if (made === 'later') throw new Retry('a lock waits for the end of another one of its gig')
    if (made && made.state.free < 0n) throw new Retry('what was built on this stake has yet to fail')
    return made
  })
  return { before: before!, after }
}
