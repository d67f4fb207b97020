import { chainCommandConfirmed, chainCommandFailed, chainEvent, chainEventRemoved } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { operationParts } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import type { Bond } from './bond.ts'
import { directMove, directMoveGone } from './direct.ts'
import { type Heard, hear } from './heard.ts'
import { changeBond } from './keep.ts'
import { outsideUnlockGone, unlockedOutside } from './outside-unlock.ts'

export const bondChain = (parts: Parts): Subscription[] => [
  on(chainCommandConfirmed, async event => (isOfBond(event) ? hearOf(parts, { is: 'confirmed', id: idOf(event.opKey), ...event }) : undefined)),
  on(chainCommandFailed, async event =>
    event.terminal && isOfBond(event) ? hearOf(parts, { is: 'failed', id: idOf(event.opKey), ...event }) : undefined,
  ),
  on(chainEvent('Bond', 'BondDeposited'), async log => (log.final ? directMove(parts, log) : undefined)),
  on(chainEvent('Bond', 'BondWithdrawn'), async log => (log.final ? directMove(parts, log) : undefined)),
  on(chainEvent('Bond', 'BondUnlocked'), async log => (log.final ? unlockedOutside(parts, log) : undefined)),
  on(chainEventRemoved, async log => {
    if (log.contract !== 'Bond') return
    await (log.event === 'BondUnlocked' ? outsideUnlockGone(parts, log) : directMoveGone(parts, log))
  }),
]

const isOfBond = ({ kind }: { kind: string }): boolean => kind.startsWith('bond.')
const idOf = (opKey: string): string => operationParts(opKey)[1]

async function hearOf(parts: Parts, heard: Heard): Promise<void> {
  const waiting = await parts.bonds.waitingFor(heard.id)
  if (!waiting) return
  let before: Bond | undefined
  const after = await changeBond(parts, waiting.id, bond => {
    before = bond
    const made = hear(bond, heard, parts.clock.now(), parts.newId)
    if (made && made.state.free < 0n) throw new Retry('an undone deposit waits for what was built on it to fail')
    return made
  })
  await tellSlash(parts, before!, after, heard)
}

/** A slash that failed is dropped; one whose reversal is undone stands again. An undone slash is told as reversed. */
async function tellSlash({ slashes }: Parts, before: Bond, after: Bond, { id, is }: Heard): Promise<void> {
  if (is === 'confirmed') return
  if (before.moves.some(move => move.id === id && move.type === 'SLASH')) await slashes.failed(id)
  const undone = before.done.find(done => done.id === id && after.done.every(known => known.id !== id))
  if (undone && 'move' in undone && undone.move.type === 'SLASH_REVERSED') await slashes.become(undone.move.slashId!, () => ({ status: 'APPLIED' }))
}
