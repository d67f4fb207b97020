import { operationParts } from '@carapace/chain'
import { onlyPolled, onOutcomes, type Subscription } from '@carapace/service'
import { followBondOutcome } from '../bond/outcomes/outcomes.ts'
import type { Parts } from '../parts.ts'
import { slashStates } from './slash-states.ts'

/** A slash that failed is dropped; one whose reversal failed is applied again. A slash whose own block was lost is shown as reversed by its event. */
export const slashChain = (parts: Parts): Subscription[] =>
  onOutcomes({
    'bond.slash': {
      confirmed: outcome => followBondOutcome(parts, outcome),
      reorged: onlyPolled,
      failed: async outcome => {
        await followBondOutcome(parts, outcome)
        const [, slashId] = operationParts(outcome.opKey)
        // by what the bond holds: the bond may have followed a delivery that ended before this
        if (await hasFailed(parts, slashId)) await parts.slashes.failed(slashId)
      },
    },
    'bond.unslash': {
      confirmed: outcome => followBondOutcome(parts, outcome),
      reorged: onlyPolled,
      failed: async outcome => {
        const change = await followBondOutcome(parts, outcome)
        const [, id] = operationParts(outcome.opKey)
        const reversed = change?.before.done.find(done => done.id === id && change.after.done.every(other => other.id !== id))
        if (!(reversed && 'move' in reversed)) return
        await parts.slashes.become(reversed.move.slashId!, ({ status }) =>
          status === 'REVERSED' ? { status: slashStates.move(status, 'restore') } : undefined,
        )
      },
    },
  })

async function hasFailed({ bonds }: Parts, bondEventId: string): Promise<boolean> {
  const bond = await bonds.waitingFor(bondEventId)
  const done = bond && (await bonds.get(bond.id))?.done
  return done?.some(one => one.id === bondEventId && 'failedMove' in one) ?? false
}
